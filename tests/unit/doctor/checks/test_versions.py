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


AMI = "ami-0123456789abcdef0"
IMAGE = {
    "ImageId": AMI,
    "State": "available",
    "Architecture": "arm64",
    "RootDeviceName": "/dev/xvda",
    "OwnerId": "123456789012",
    "Public": False,
}


def with_own_image(written):
    written["clusters"]["spark-a"]["node_groups"]["system"]["ami"] = AMI


def own_image(place, answer):
    stubbed = {"ec2": [("describe_images", {"ImageIds": [AMI]}, answer)]}
    return lines(versions.own_images, place(with_own_image, stubbed=stubbed))


@pytest.mark.parametrize(
    ("image", "status", "says"),
    [
        ({}, "ok", "is there, for arm64."),
        (
            {"Architecture": "x86_64"},
            "problem",
            "is for x86_64, and its machines are arm64. Build one for these.",
        ),
        ({"RootDeviceName": "/dev/sda1"}, "problem", "has its root disk at /dev/sda1, so `disk` would"),
        ({"State": "failed"}, "problem", "is failed. No machine starts of it: choose another."),
        ({"DeprecationTime": "2027-01-02T00:00:00.000Z"}, "warning", "is deprecated from 2027-01-02 on."),
        ({"DeprecationTime": "2028-01-02T00:00:00.000Z"}, "ok", "is there, for arm64."),
        ({"Public": True, "OwnerId": "999999999999"}, "warning", "is public, of account 999999999999."),
        ({"Public": True, "OwnerId": "602401143452", "ImageOwnerAlias": "amazon"}, "ok", "is there"),
    ],
)
def test_an_image_of_ones_own_has_to_be_what_its_group_needs(place, image, status, says):
    [line] = own_image(place, {"Images": [{**IMAGE, **image}]})

    assert line.startswith(f"{status} main/spark-a Node group system: {AMI} {says}")


@pytest.mark.parametrize("answer", ["InvalidAMIID.NotFound", {"Images": []}])
def test_an_image_of_ones_own_that_the_account_does_not_see_is_a_problem(place, answer):
    assert own_image(place, answer) == [
        f"problem main/spark-a Node group system: {AMI} is not there. Copy it to us-east-1, or have its "
        "owner share it with account 123456789012."
    ]
