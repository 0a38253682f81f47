"""`local`, its resources of AWS changed or deleted by hand: refresh finds all of it, `up` puts it right."""

from collections import defaultdict

import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.provider import Target
from tests.local.aws.examples import CHANGES_BY_HAND, NOT_DELETED
from tests.local.aws.examples.example import Console
from tests.support.pulumi_stack import PulumiStack


@pytest.fixture
def local(copied, monkeypatch):
    """`local`, up with few machines."""
    monkeypatch.setenv("MOKA_MACHINES", "3")
    assert commands.up(copied, "local", ("--non-interactive",)) == 0
    return PulumiStack(copied, "local")


def changes(stack):
    """URNs of what an `up` would make or change."""
    return {step["urn"] for step in stack.steps()}


def test_all_that_is_changed_or_deleted_by_hand_is_found_and_put_right(local):
    # Who deploys has to stay let in: without, a refresh sees nothing in the cluster.
    deployer = ("aws:eks/accessEntry:AccessEntry", "aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    resources = {
        resource.urn: resource
        for resource in local.engine.resources("local")
        if resource.type.startswith("aws:") and resource.type not in deployer
    }
    missing = {resource.type for resource in resources.values()} - CHANGES_BY_HAND.keys()
    assert not missing, f"say in tests/local/aws/examples how a person changes {missing}"

    # Of each type one is deleted, where that can be, and the others are changed.
    by_type = defaultdict(list)
    for urn, resource in resources.items():
        by_type[resource.type].append((urn, resource))
    cloud = local.engine.cloud
    console = Console(cloud, AwsServer(cloud).url)
    provider = Aws(cloud, console.endpoint)
    touched = set()
    for type, members in by_type.items():
        change = CHANGES_BY_HAND[type]
        deleted = type not in NOT_DELETED and (len(members) > 1 or change is None)
        for urn, resource in members[deleted:]:
            if change is not None:
                change(console, resource)
                touched.add(urn)
        if deleted:
            urn, resource = members[0]
            provider.delete(Target(urn, resource.id), resource.inputs, resource.outputs, 0)
            touched.add(urn)

    assert {resources[urn].type for urn in touched} == set(by_type)

    local.run("refresh", "--yes", "--skip-preview")
    drift = changes(local)
    assert touched <= drift, f"not found: {sorted(touched - drift)}"

    local.up()
    assert changes(local) == set()
    local.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    assert changes(local) == set()
