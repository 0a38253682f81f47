from datetime import UTC, datetime, timedelta, timezone

import pytest

from doctor.checks import versions
from moka.addon_versions import ADDON_VERSIONS
from tests.support.aws_stubs import lines
from tests.support.calendar import TODAY


def offering(version="1.34", **dates):
    return {
        "eks": [
            ("describe_cluster_versions", {}, {"clusterVersions": [{"clusterVersion": version, **dates}]})
        ]
    }


def day(number):
    """The day after so many, as AWS has it: its start in UTC, told in the machine's time zone."""
    start = datetime.combine(TODAY + timedelta(days=number), datetime.min.time(), UTC)
    return start.astimezone(timezone(timedelta(hours=-8)))


def test_a_version_that_is_supported_for_long_is_fine(place):
    stubbed = offering(endOfStandardSupportDate=datetime(2099, 12, 2, tzinfo=UTC))

    assert lines(versions.kubernetes, place(stubbed=stubbed)) == [
        "ok main/spark-a EKS supports Kubernetes 1.34 until 2099-12-02."
    ]


def test_a_version_that_eks_does_not_have_is_a_problem(place):
    assert lines(versions.kubernetes, place(stubbed=offering("1.99"))) == [
        "problem main/spark-a EKS does not offer Kubernetes 1.34 here. Pin add-ons for one that it offers in "
        "moka/addon_versions.py: 1.99."
    ]


@pytest.mark.parametrize(
    ("days", "says"),
    [
        (91, "ok main/spark-a EKS supports Kubernetes 1.34 until 2027-02-21."),
        (60, "warning main/spark-a The standard support of Kubernetes 1.34 ends on 2027-01-21."),
        (1, "warning main/spark-a The standard support of Kubernetes 1.34 ends on 2026-11-23."),
        (0, "problem main/spark-a The standard support of Kubernetes 1.34 ended on 2026-11-22."),
    ],
)
def test_the_end_of_support_is_told_before_it_comes(place, days, says):
    [finding] = lines(versions.kubernetes, place(stubbed=offering(endOfStandardSupportDate=day(days))))

    assert finding.startswith(says)


def test_extended_support_counts_where_the_settings_want_it(place):
    def extended(written):
        written["clusters"]["spark-a"]["support"] = "extended"

    stubbed = offering(endOfStandardSupportDate=day(-30), endOfExtendedSupportDate=day(300))

    [finding] = lines(versions.kubernetes, place(extended, stubbed=stubbed))

    assert finding.startswith("ok main/spark-a EKS supports Kubernetes 1.34 until ")


def addons(offered):
    findings = [
        {"addonName": name, "addonVersions": [{"addonVersion": version} for version in versions]}
        for name, versions in offered.items()
    ]
    parameters = {"kubernetesVersion": "1.34", "owners": ["aws"]}
    return {"eks": [("describe_addon_versions", parameters, {"addons": findings})]}


def test_every_add_on_is_looked_for_at_its_pinned_version(place):
    offered = {name: [version] for name, version in ADDON_VERSIONS["1.34"].items()}

    assert lines(versions.addons, place(stubbed=addons(offered))) == [
        f"ok main EKS offers all {len(offered)} add-ons as pinned for Kubernetes 1.34."
    ]


def test_an_add_on_that_eks_no_longer_offers_so_is_told_with_those_that_it_does(place):
    offered = {name: [version] for name, version in ADDON_VERSIONS["1.34"].items()}
    offered["coredns"] = ["v9.1.0-eksbuild.2", "v9.1.0-eksbuild.1"]

    assert lines(versions.addons, place(stubbed=addons(offered))) == [
        f"problem main EKS does not offer add-on coredns {ADDON_VERSIONS['1.34']['coredns']} for Kubernetes "
        "1.34. Pin one in moka/addon_versions.py: v9.1.0-eksbuild.2 and v9.1.0-eksbuild.1."
    ]


def with_release(written):
    written["clusters"]["spark-a"]["node_groups"]["system"]["ami_release"] = "1.34.2-20261105"


@pytest.mark.parametrize(
    ("images", "finding"),
    [
        ([{"ImageId": "ami-1"}], "ok main/spark-a Node group system: EKS has machine image 1.34.2-20261105."),
        (
            [],
            "problem main/spark-a Node group system: EKS has no arm64 machine image 1.34.2-20261105 here. "
            "Take a "
            "release of github.com/awslabs/amazon-eks-ami that has reached the region.",
        ),
    ],
)
def test_a_machine_image_is_looked_for_by_its_release_and_architecture(place, images, finding):
    name = "amazon-eks-node-al2023-arm64-*-1.34-v20261105"
    parameters = {"Owners": ["amazon"], "Filters": [{"Name": "name", "Values": [name]}]}
    stubbed = {"ec2": [("describe_images", parameters, {"Images": images})]}

    assert lines(versions.node_images, place(with_release, stubbed=stubbed)) == [finding]
