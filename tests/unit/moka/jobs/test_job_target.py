import json

import pytest

from moka.jobs.job_target import CelebornDefault, EventLogUploader, JobTarget
from moka.machines.machine_capacity import NodeGroupShape, largest_machines

UPLOADER = EventLogUploader(image="uploader:1", bucket="logs", region="us-east-1", seconds=10)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"celeborn": None, "finalizer": None},
        {"event_log_uploader": UPLOADER},
        {"celeborn_default": CelebornDefault(clients=["4.1"], cores=500)},
        {"without_celeborn": ("spark-jobs",)},
    ],
)
def test_what_a_stack_exports_is_read_back_the_same(target, changes):
    before = target(**changes)
    # As the engine hands it on: without what is None, and with every number a float.
    exported = json.loads(json.dumps(before.as_outputs()), parse_int=float)
    exported = {key: value for key, value in exported.items() if value is not None}

    after = JobTarget.from_outputs(exported)

    assert after.as_outputs() == before.as_outputs()
    assert after.event_log_uploader == before.event_log_uploader
    assert after.celeborn_default == before.celeborn_default
    assert after.machine("driver", "arm64") == before.machine("driver", "arm64")


def test_what_the_outputs_lack_is_named(target):
    exported = target().as_outputs()
    del exported["queues"], exported["region"]

    with pytest.raises(ValueError, match="the outputs lack region, queues"):
        JobTarget.from_outputs(exported)


def test_an_architecture_needs_machines_for_drivers_and_executors(target):
    machines = largest_machines(
        [
            NodeGroupShape(role="driver", architecture="arm64", instance_types=["m7g.large"]),
            NodeGroupShape(role="executor", architecture="arm64", instance_types=["m7g.large"]),
            NodeGroupShape(role="executor", architecture="amd64", instance_types=["m7i.large"]),
        ]
    )

    assert target(machines=machines).architectures() == ["arm64"]
