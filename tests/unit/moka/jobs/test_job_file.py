import json

import jsonschema
import pytest
import yaml

from localcloud.cloud import REPOSITORY
from moka.jobs.job_file import JOB_FILE, read
from moka.mistakes import InvalidDocument

PI = {
    "name": "pi",
    "namespace": "spark-jobs",
    "queue": "analytics.reports",
    "tier": 1,
    "main_file": "local:///pi.jar",
    "main_class": "Pi",
}


def text(**changes):
    fields = {**PI, **changes}
    return yaml.safe_dump({key: value for key, value in fields.items() if value is not None})


# What is different in the job; what its owner reads.
WRONG = {
    "no tier": (
        {"tier": None},
        "tier: is missing (How critical it is: from 1, never preempted, to 3, which waits for all others).",
    ),
    "a tier that is none": (
        {"tier": 4},
        "tier: is 4; input should be 1, 2 or 3 (How critical it is: from 1, never preempted, to 3, which "
        "waits for all "
        "others).",
    ),
    "an unknown architecture": (
        {"architecture": "sparc"},
        "architecture: is 'sparc'; input should be 'arm64', 'amd64' or 'any' (Architecture of its machines).",
    ),
    "a pod that would mount on its node": (
        {"host_mounts": [{"path": "/mnt/fuse", "mount": "/data", "propagation": "Bidirectional"}]},
        "host_mounts.0.propagation: is 'Bidirectional'; input should be 'None' or 'HostToContainer' (Whether "
        "running pods see what the node mounts below it, such as a FUSE mount: `HostToContainer`).",
    ),
    "a key with a slip of the pen": ({"argumets": []}, "argumets: unknown key; did you mean 'arguments'?"),
    "a key within with a slip of the pen": (
        {"executor": {"instnces": 3}},
        "executor.instnces: unknown key; did you mean 'instances'?",
    ),
    "a pod template": (
        {"driver": {"template": {}}},
        "driver.template: unknown key; the platform sets pod templates.",
    ),
    "the operator's name of a field": (
        {"sparkConf": {}},
        "sparkConf: unknown key; Spark configuration is called conf.",
    ),
    "memory without a unit": (
        {"executor": {"memory": "4096"}},
        "executor.memory: is '4096'; write memory as 8g or 512m.",
    ),
    "memory as a number": (
        {"executor": {"memory": 4096}},
        "executor.memory: is 4096; input should be a valid string (Heap of the JVM: 8g or 8Gi, which are the "
        "same).",
    ),
    "no core at all": (
        {"driver": {"core_request": "0"}},
        "driver.core_request: is '0'; write cores as 2, 1.5 or 500m.",
    ),
    "a number of executors and a range": (
        {"executor": {"instances": 2, "dynamic": {"maximum": 4}}},
        "executor: has both instances and dynamic; keep one.",
    ),
    "a range upside down": (
        {"executor": {"dynamic": {"minimum": 9, "maximum": 4}}},
        "executor.dynamic: has 9, 9 and 4 executors; set minimum <= initial <= maximum.",
    ),
    "a name in capitals": (
        {"name": "Pi"},
        "name: is 'Pi'; string should match pattern '^[a-z]([a-z0-9-]*[a-z0-9])?$' (Lower case, digits and "
        "dashes).",
    ),
    "a name that makes no pod's": (
        {"name": "p" * 57},
        f"name: is '{'p' * 57}'; string should have at most 56 characters (Lower case, digits and dashes).",
    ),
    "the path of a queue": (
        {"queue": "root.analytics.reports.tier1"},
        "queue: is 'root.analytics.reports.tier1'; write queue analytics.reports and tier 1.",
    ),
    "an image that is another one every day": (
        {"image": "registry.example/spark:latest"},
        "image: is 'registry.example/spark:latest'; latest is another image every day; write the tag of a "
        "release, or add a digest.",
    ),
    "an image that may be any": (
        {"image": "registry.example/spark"},
        "image: is 'registry.example/spark'; without a tag or digest, nobody can say which image runs; add "
        "one.",
    ),
    "configuration that is not Spark's": (
        {"conf": {"fs.s3a.endpoint": "x"}},
        r"conf.fs.s3a.endpoint: the key 'fs.s3a.endpoint'; string should match pattern '^spark\.\S+$'.",
    ),
}


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_what_is_wrong_with_a_job_is_told_in_a_sentence(case):
    changes, reason = WRONG[case]

    (draft,) = read(text(**changes), "jobs.yaml")

    assert [str(mistake) for mistake in draft.mistakes] == [reason]


# The content of a file; what its owner reads.
FILES = {
    "nothing": (b"", " has no job: write one like examples/jobs/pi.yaml."),
    "no text": (b"\xff\xfe", " is not text: byte 1 is not UTF-8; write it as YAML."),
    "no YAML": (b"a: [", " is not YAML: while parsing a flow node"),
    "brackets without end": (b"name: " + b"[" * 100_000, " is nested too deeply"),
    "a key twice": (
        b"name: a\nname: b\n",
        ": line 2: name is a duplicate of line 1; rename or remove",
    ),
}


@pytest.mark.parametrize("case", FILES, ids=str)
def test_a_file_without_jobs_is_refused(case):
    content, reason = FILES[case]

    with pytest.raises(InvalidDocument) as refused:
        read(content, "jobs.yaml")

    assert str(refused.value).startswith(f"jobs.yaml{reason}")


def test_what_is_no_job_is_told_by_its_number():
    _, second, third = read(f"{text()}---\n- a\n---\n{text(name=None)}", "jobs.yaml")

    assert second.where == "jobs.yaml: document 2"
    assert list(second.mistakes) == ["is ['a']; write keys and values, as in examples/jobs/pi.yaml."]
    assert third.where == "jobs.yaml: document 3"


def test_a_file_that_holds_itself_is_told():
    with pytest.raises(InvalidDocument, match=r"^jobs.yaml contains itself, in line 1: remove the YAML"):
        read("conf: &a\n  - *a\n", "jobs.yaml")


@pytest.mark.parametrize("levels", [250, 300])
def test_a_job_of_hundreds_of_levels_is_told_and_no_other_way_than_in_a_sentence(levels):
    with pytest.raises(InvalidDocument, match=r"^jobs.yaml: pi is nested too deeply: write it like ex"):
        read(f"{text()}conf: {'[' * levels}{']' * levels}\n", "jobs.yaml")


def test_two_jobs_of_one_name_are_refused_in_one_namespace_only():
    first, other, second = read(f"{text()}---\n{text(namespace='other')}---\n{text(tier=2)}", "jobs.yaml")

    assert not first.mistakes and not other.mistakes
    assert [str(mistake) for mistake in second.mistakes] == [
        "name: another job in namespace spark-jobs has it too; give each job its own."
    ]


@pytest.mark.parametrize("name", ["pi", "nightly", "adhoc", "usage-questions"])
def test_an_editor_with_the_schema_accepts_the_examples(name):
    checker = jsonschema.Draft202012Validator(json.loads(JOB_FILE.schema()))

    file = REPOSITORY / "examples" / "jobs" / f"{name}.yaml"
    for document in yaml.safe_load_all(file.read_text()):
        checker.validate(document)


def test_every_field_of_a_job_is_described():
    schema = json.loads(JOB_FILE.schema())

    undescribed = [
        f"{name}.{key}"
        for name, section in {"Job": schema, **schema["$defs"]}.items()
        for key, field in section["properties"].items()
        if "description" not in field and "$ref" not in field
    ]
    assert undescribed == []
