import pytest

from stacks import settings
from stacks.settings import reading

STATEFUL = {
    "aws:cloudwatch/logGroup:LogGroup",
    "aws:ec2/vpc:Vpc",
    "aws:ecr/repository:Repository",
    "aws:kms/key:Key",
    "aws:s3/bucket:Bucket",
}


@pytest.mark.parametrize("environment", reading.environments())
def test_what_holds_data_is_protected_and_kept_where_the_settings_say_retain(whole, environment):
    loaded = settings.load(environment)
    recorder = whole(environment)

    stateful = [request for request in recorder.monitor.requests.values() if request.type in STATEFUL]
    assert {request.type for request in stateful} >= STATEFUL - {"aws:ecr/repository:Repository"}
    assert {request.protect for request in stateful} == {loaded.retain}
    assert {request.retainOnDelete for request in stateful} == {loaded.retain}
    # The cluster itself is a child of a remote component: tests/local/test_protection.py tries it.
    assert {cluster["deletionProtection"] for cluster in recorder.inputs("eks:index:Cluster")} == {
        loaded.retain
    }
