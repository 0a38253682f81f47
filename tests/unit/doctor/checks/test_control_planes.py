import pytest

from doctor.checks.control_planes import tiers
from tests.support.aws_stubs import lines

SENDS = "main/spark-a YuniKorn makes up to {} requests a second, with 40 nodes at the most"


def of(tier="standard", requests=None):
    """A control plane of a tier, and requests that the environment sets itself."""

    def change(written):
        written["clusters"]["spark-a"]["control_plane_tier"] = tier
        if requests:
            written["charts"] = {"values": {"yunikorn": {"yunikornDefaults": {"kubernetes.qps": requests}}}}

    return change


def offering(**pods_a_second):
    offered = [
        {"tierName": name.replace("_", "-"), "podSchedulingRatePerSecond": number}
        for name, number in pods_a_second.items()
    ]
    version = {"clusterVersion": "1.34", "controlPlaneScalingTiers": offered}
    asked = {"clusterVersions": ["1.34"]}
    return {"eks": [("describe_cluster_versions", asked, {"clusterVersions": [version]})]}


def test_a_standard_control_plane_is_fine_for_a_small_cluster(place):
    assert lines(tiers, place(of())) == [
        f"ok {SENDS.format(50)}; the control plane is standard, and follows the load."
    ]


def test_where_more_is_sent_the_tier_that_is_enough_is_named(place):
    assert lines(tiers, place(of(requests="168"))) == [
        f"warning {SENDS.format(168)}, and a standard control plane begins small and follows the load: a "
        "burst comes before it. Set control_plane_tier: tier-2xl, or let events of PodBindFailure decide."
    ]


@pytest.mark.parametrize(
    ("offered", "says"),
    [
        ({"tier_xl": 167}, f"ok {SENDS.format(50)}; tier-xl is for 167 pods a second."),
        (
            {"tier_xl": 40, "tier_2xl": 60},
            f"warning {SENDS.format(50)}, but tier-xl is for 40 pods a second. Set control_plane_tier: "
            "tier-2xl, or lower kubernetes.qps of YuniKorn in charts.values.",
        ),
        (
            {"tier_xl": 40},
            f"warning {SENDS.format(50)}, but tier-xl is for 40 pods a second. Lower kubernetes.qps of "
            "YuniKorn in charts.values.",
        ),
        (
            {"tier_4xl": 400},
            "problem main/spark-a EKS has no tier-xl for Kubernetes 1.34 here. Choose another "
            "control_plane_tier: tier-4xl.",
        ),
    ],
)
def test_what_eks_says_of_a_tier_counts(place, offered, says):
    assert lines(tiers, place(of("tier-xl"), stubbed=offering(**offered))) == [says]


def test_where_eks_does_not_say_the_table_counts(place):
    [finding] = lines(tiers, place(of("tier-2xl"), stubbed=offering()))

    assert finding.endswith("; tier-2xl is for 283 pods a second.")
