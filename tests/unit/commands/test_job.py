import json
from pathlib import Path

import pytest
import yaml

from commands.job import main

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "jobs"


@pytest.fixture
def outputs(tmp_path, target):
    """Write what stacks export: clusters of each of them -> the file."""

    def write(*stacks):
        file = tmp_path / "outputs.json"
        texts = [
            json.dumps(
                {"foundation/main": {}}
                | {f"spark/{name}": {"jobs": one.as_outputs()} for name, one in s.items()}
            )
            for s in stacks
        ]
        file.write_text("\n".join(texts))
        return str(file)

    return write


@pytest.mark.parametrize("name", ["pi", "nightly", "adhoc"])
def test_an_example_is_rendered_as_it_stands(outputs, target, capsys, name):
    file = str(EXAMPLES / f"{name}.yaml")

    assert main(["render", file, "--target", outputs({"spark-a": target()})]) == 0

    made = list(yaml.safe_load_all(capsys.readouterr().out))
    said = list(yaml.safe_load_all(Path(file).read_text()))
    assert [one["metadata"]["name"] for one in made] == [one["name"] for one in said]
    assert {one["kind"] for one in made} == {"SparkApplication"}


def test_json_holds_the_same(outputs, target, capsys):
    arguments = ["render", str(EXAMPLES / "adhoc.yaml"), "--target", outputs({"spark-a": target()})]

    main(arguments)
    as_yaml = list(yaml.safe_load_all(capsys.readouterr().out))
    main([*arguments, "--json"])

    assert json.loads(capsys.readouterr().out) == as_yaml


def test_every_mistake_of_every_job_is_told_and_nothing_is_written(outputs, target, tmp_path, capsys):
    file = tmp_path / "jobs.yaml"
    file.write_text(
        "{name: a, namespace: nowhere, queue: science.models, main_file: /a.jar, conf: {spark.master: x}}\n"
        "---\n"
        "{name: b, namespace: spark-jobs, queue: analytics.reports, tier: 1, main_file: 'local:///b.py'}\n"
    )

    assert main(["render", str(file), "--target", outputs({"spark-a": target()})]) == 2

    told = capsys.readouterr()
    assert told.out == ""
    assert [line.removeprefix(f"{file}: ").split(": ")[:2] for line in told.err.splitlines()] == [
        ["a", "tier"],
        ["a", "namespace"],
        ["a", "main_class"],
        ["a", "main_file"],
        ["a", "conf.spark.master"],
        ["b", "main_file"],
    ]


def test_the_cluster_is_chosen_where_stacks_have_several(outputs, target, capsys):
    targets = {name: target(cluster=name, ui_domain=f"{name}.example") for name in ("batch-a", "batch-b")}
    file = outputs({"batch-a": targets["batch-a"]}, {"batch-b": targets["batch-b"]})
    arguments = ["render", str(EXAMPLES / "pi.yaml"), "--target", file]

    assert main(arguments) == 2
    assert capsys.readouterr().err == (
        "The stack has several clusters: choose one of batch-a, batch-b with --cluster.\n"
    )
    assert main([*arguments, "--cluster", "batch-c"]) == 2
    assert capsys.readouterr().err.startswith("Cluster batch-c is not in the stack: did you mean 'batch-")
    assert main([*arguments, "--cluster", "batch-b"]) == 0
    assert "http://pi.spark-jobs.batch-b.example" in capsys.readouterr().out


# Outputs; what their reader is told.
OUTPUTS = {
    "none": ("", "The stack has no cluster for jobs: take the outputs of the one that holds layer spark"),
    "of another layer": ('{"history/home": {}}', "The stack has no cluster for jobs: take the outputs"),
    "an error of pulumi's": ("error: no stack", "The target is not JSON with outputs: give what"),
    "of an earlier version": (
        '{"spark/a": {"jobs": {"cluster": "a"}}}',
        "Cluster a cannot be read (the outputs lack environment, region, queues,",
    ),
}


@pytest.mark.parametrize("case", OUTPUTS, ids=str)
def test_outputs_without_a_target_are_refused(tmp_path, capsys, case):
    content, reason = OUTPUTS[case]
    file = tmp_path / "outputs.json"
    file.write_text(content)

    assert main(["render", str(EXAMPLES / "pi.yaml"), "--target", str(file)]) == 2

    assert capsys.readouterr().err.startswith(reason)


def test_a_file_that_is_not_there_is_named(outputs, target, capsys):
    assert main(["render", "nowhere.yaml", "--target", outputs({"spark-a": target()})]) == 2

    assert capsys.readouterr().err == (
        "nowhere.yaml cannot be read (No such file or directory): name a file that is there.\n"
    )
