"""Whole environments: who records is there where the settings have it, with what is at home."""

import json

import pytest
import yaml

from stacks import settings
from tests.support.two_accounts import in_two_accounts

LOCAL = yaml.safe_load(settings.path_of("local").read_text())


@pytest.fixture(scope="module")
def layer(layers):
    """Layer scheduling of an environment, and what it stands on."""

    def make(environment):
        return layers(environment, "scheduling")

    return make


def arguments(recorder):
    return {
        deployment["metadata"]["name"]: deployment["spec"]["template"]["spec"]["containers"][0].get("args")
        for deployment in recorder.inputs("kubernetes:apps/v1:Deployment")
    }


def test_a_cluster_of_another_account_records_in_the_bucket_at_home(layer):
    environment = in_two_accounts()
    recorder = layer(environment)

    policies = recorder.by_name("aws:iam/rolePolicy:RolePolicy")
    names = [name for name in policies if name.endswith("-usage-recorder")]
    assert sorted(names) == sorted(f"{name}-usage-recorder" for name in environment.clusters)
    home = environment.foundations[environment.home_foundation]
    for name in names:
        statements = json.loads(policies[name]["policy"])["Statement"]
        buckets = {
            one.split("/")[0]
            for statement in statements
            for one in (
                [statement["Resource"]] if isinstance(statement["Resource"], str) else statement["Resource"]
            )
            if ":s3:" in one
        }
        assert all(f"-{home.account}-{home.region}-resource-usage" in bucket for bucket in buckets)
        assert buckets


def test_it_is_told_its_cluster_by_both_names(layer):
    text = yaml.safe_dump(LOCAL)
    environment = settings.parse(text, "stacks/local.yaml")
    [cluster] = environment.clusters

    given = arguments(layer(environment))["usage-recorder"]
    assert f"--cluster={cluster}" in given
    assert f"--eks-cluster={environment.eks_name(cluster)}" in given
    assert "--scheduler=http://yunikorn-service.yunikorn:9080" in given


def test_where_the_settings_leave_it_out_it_is_not_deployed(layer):
    services = {
        name: one for name, one in LOCAL["services"].items() if name not in ("allocator", "usage_recorder")
    }
    recorder = layer(settings.parse(yaml.safe_dump({**LOCAL, "services": services}), "stacks/local.yaml"))

    assert "moka:kubernetes:UsageRecorder" not in recorder.types()
    assert "moka:kubernetes:UsageRecorderRole" not in recorder.types()
