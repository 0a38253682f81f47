import json
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "jobs"


@pytest.fixture
def outputs(tmp_path, target):
    """Write what stacks export: clusters of each of them -> the file."""

    def write(*stacks):
        file = tmp_path / "outputs.json"
        texts = [
            json.dumps(
                {"foundation/main": {}}
                | {f"spark/{name}": {"jobs": target.as_outputs()} for name, target in stack.items()}
            )
            for stack in stacks
        ]
        file.write_text("\n".join(texts))
        return str(file)

    return write


@pytest.mark.parametrize("name", ["pi", "nightly", "adhoc"])
def test_an_example_is_rendered_as_it_stands(outputs, target, moka, name):
    file = str(EXAMPLES / f"{name}.yaml")

    result = moka("job", "render", file, "--target", outputs({"spark-a": target()}))

    assert result.status == 0
    manifests = list(yaml.safe_load_all(result.out))
    jobs = list(yaml.safe_load_all(Path(file).read_text()))
    assert [manifest["metadata"]["name"] for manifest in manifests] == [job["name"] for job in jobs]
    assert {manifest["kind"] for manifest in manifests} == {"SparkApplication"}


def test_json_holds_the_same(outputs, target, moka):
    arguments = ["job", "render", str(EXAMPLES / "adhoc.yaml"), "--target", outputs({"spark-a": target()})]

    as_yaml = list(yaml.safe_load_all(moka(*arguments).out))

    assert json.loads(moka(*arguments, "--json").out) == as_yaml


def test_every_mistake_of_every_job_is_reported_and_nothing_is_written(outputs, target, tmp_path, moka):
    file = tmp_path / "jobs.yaml"
    file.write_text(
        "{name: a, namespace: nowhere, queue: science.models, main_file: /a.jar, conf: {spark.master: x}}\n"
        "---\n"
        "{name: b, namespace: spark-jobs, queue: analytics.reports, tier: 1, main_file: 'local:///b.py'}\n"
    )

    result = moka("job", "render", str(file), "--target", outputs({"spark-a": target()}))

    assert (result.status, result.out) == (2, "")
    assert [line.removeprefix(f"{file}: ").split(": ")[:2] for line in result.err.splitlines()] == [
        ["a", "tier"],
        ["a", "namespace"],
        ["a", "main_class"],
        ["a", "main_file"],
        ["a", "conf.spark.master"],
        ["b", "main_file"],
    ]


def test_the_cluster_is_chosen_where_stacks_have_several(outputs, target, moka):
    targets = {name: target(cluster=name, ui_domain=f"{name}.example") for name in ("batch-a", "batch-b")}
    file = outputs({"batch-a": targets["batch-a"]}, {"batch-b": targets["batch-b"]})
    arguments = ["job", "render", str(EXAMPLES / "pi.yaml"), "--target", file]

    several = moka(*arguments)
    assert (several.status, several.err) == (
        2,
        "The stack has several clusters: choose one of batch-a, batch-b with --cluster.\n",
    )
    unknown = moka(*arguments, "--cluster", "batch-c")
    assert unknown.status == 2
    assert unknown.err.startswith("Cluster batch-c is not in the stack: did you mean 'batch-")
    result = moka(*arguments, "--cluster", "batch-b")
    assert result.status == 0
    assert "http://pi.spark-jobs.batch-b.example" in result.out


# Outputs; how they are refused.
OUTPUTS = {
    "none": ("", "The stack has no cluster for jobs: take the outputs of the one with layer spark"),
    "of another layer": ('{"history/home": {}}', "The stack has no cluster for jobs: take the outputs"),
    "an error of pulumi's": ("error: no stack", "The target is not JSON with outputs: give what"),
    "of an earlier version": (
        '{"spark/a": {"jobs": {"cluster": "a"}}}',
        "Cluster a cannot be read (the outputs lack environment, region, queues,",
    ),
}


@pytest.mark.parametrize("case", OUTPUTS, ids=str)
def test_outputs_without_a_target_are_refused(tmp_path, moka, case):
    content, reason = OUTPUTS[case]
    file = tmp_path / "outputs.json"
    file.write_text(content)

    result = moka("job", "render", str(EXAMPLES / "pi.yaml"), "--target", str(file))

    assert result.status == 2
    assert result.err.startswith(reason)


def test_a_file_that_does_not_exist_is_named(outputs, target, moka):
    result = moka("job", "render", "nowhere.yaml", "--target", outputs({"spark-a": target()}))

    assert (result.status, result.err) == (
        2,
        "nowhere.yaml cannot be read (No such file or directory): name a file that is there.\n",
    )
