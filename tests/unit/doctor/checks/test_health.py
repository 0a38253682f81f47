import pytest

from doctor.checks.health import health
from tests.support.aws_stubs import lines

CLUSTER = "acme-trial-spark-a"


def eks(group="ACTIVE", addon="ACTIVE"):
    """EKS with a cluster that has a node group and an add-on."""
    issues = {"issues": [{"code": "NodeCreationFailure", "message": "Instances failed to join"}]}
    key = {"clusterName": CLUSTER}
    return {
        "eks": [
            ("describe_cluster", {"name": CLUSTER}, {"cluster": {"name": CLUSTER}}),
            ("list_nodegroups", key, {"nodegroups": ["driver"]}),
            (
                "describe_nodegroup",
                {**key, "nodegroupName": "driver"},
                {"nodegroup": {"status": group, "health": issues}},
            ),
            ("list_addons", key, {"addons": ["coredns"]}),
            (
                "describe_addon",
                {**key, "addonName": "coredns"},
                {"addon": {"status": addon, "health": issues}},
            ),
        ]
    }


def test_of_a_cluster_that_is_not_there_nothing_is_asked(place):
    stubbed = {"eks": [("describe_cluster", {"name": CLUSTER}, "ResourceNotFoundException")]}

    assert lines(health, place(stubbed=stubbed)) == []


@pytest.mark.parametrize("status", ["ACTIVE", "DEGRADED", "UPDATING"])
def test_what_eks_has_created_is_fine(place, status):
    assert lines(health, place(stubbed=eks(group=status, addon=status))) == [
        f"ok main/spark-a EKS has created all node groups and add-ons of {CLUSTER}."
    ]


@pytest.mark.parametrize(
    ("failed", "words", "command"),
    [
        ("group", "Node group driver", f"nodegroup --cluster-name {CLUSTER} --nodegroup-name driver"),
        ("addon", "Add-on coredns", f"addon --cluster-name {CLUSTER} --addon-name coredns"),
    ],
)
def test_what_eks_could_not_create_is_a_problem_with_its_reason(place, failed, words, command):
    assert lines(health, place(stubbed=eks(**{failed: "CREATE_FAILED"}))) == [
        f"problem main/spark-a {words}: EKS could not create it (Instances failed to join), and does not try "
        f"again. Mend that, delete it (aws eks delete-{command}), then run `up` with --refresh."
    ]
