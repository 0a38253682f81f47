from datetime import UTC, datetime

import pytest

from doctor.upgrade import clusters
from tests.support.aws_stubs import lines

NAME = "acme-trial-spark-a"


def asking(ask, version):
    return lambda place: ask(place, version)


def running(version="1.34", **more):
    cluster = {"name": NAME, "version": version, "status": "ACTIVE", **more}
    return ("describe_cluster", {"name": NAME}, {"cluster": cluster})


ABSENT = ("describe_cluster", {"name": NAME}, "ResourceNotFoundException")


def test_the_next_minor_version_is_one_step(place):
    assert lines(asking(clusters.way, "1.35"), place(stubbed={"eks": [running()]})) == [
        "ok main/spark-a Kubernetes 1.34 to 1.35 is one step."
    ]


def test_a_cluster_that_is_not_there_yet_is_taken_as_its_settings_say(place):
    assert lines(asking(clusters.way, "1.35"), place(stubbed={"eks": [ABSENT]})) == [
        "ok main/spark-a Kubernetes 1.34 to 1.35 is one step."
    ]


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("1.34", "ok main/spark-a The cluster has Kubernetes 1.34 already."),
        (
            "1.33",
            "problem main/spark-a No cluster goes back from Kubernetes 1.34 to 1.33. Make another for it.",
        ),
        (
            "1.36",
            "problem main/spark-a Kubernetes 1.34 to 1.36 are 2 upgrades, one minor version each. Go to 1.35 "
            "first: ask with `--upgrade 1.35`.",
        ),
    ],
)
def test_no_version_is_left_out_and_no_cluster_goes_back(place, version, says):
    assert lines(asking(clusters.way, version), place(stubbed={"eks": [running()]})) == [says]


def test_a_cluster_that_aws_upgraded_by_itself_is_told_before_the_step(place):
    assert lines(asking(clusters.way, "1.36"), place(stubbed={"eks": [running("1.35")]})) == [
        "warning main/spark-a The cluster has Kubernetes 1.35, its settings say 1.34. Run `make up`, or set "
        "`version` to what it has, before you go on.",
        "ok main/spark-a Kubernetes 1.35 to 1.36 is one step.",
    ]


def test_a_cluster_that_is_not_well_is_not_upgraded(place):
    issues = [{"code": "Ec2SubnetNotFound", "message": "No subnet subnet-1.", "resourceIds": ["subnet-1"]}]
    ill = running(status="UPDATING", health={"issues": issues})

    assert lines(asking(clusters.way, "1.35"), place(stubbed={"eks": [ill]}))[1:] == [
        "problem main/spark-a The cluster is UPDATING. Wait until it is ACTIVE.",
        "problem main/spark-a EKS says of the cluster: Ec2SubnetNotFound, No subnet subnet-1. Put it right "
        "first: EKS refuses to upgrade a cluster, or reverts it, that it cannot reach.",
    ]


def offering(*offers):
    return {"eks": [("describe_cluster_versions", {}, {"clusterVersions": list(offers)})]}


@pytest.mark.parametrize(
    ("offer", "says"),
    [
        ({"versionStatus": "STANDARD_SUPPORT"}, "ok main EKS offers Kubernetes 1.35 here."),
        (
            {"versionStatus": "EXTENDED_SUPPORT"},
            "warning main Kubernetes 1.35 is in extended support, which costs by the hour. Plan the next "
            "upgrade with this one.",
        ),
    ],
)
def test_a_version_that_eks_offers_is_looked_at_for_its_support(place, offer, says):
    stubbed = offering({"clusterVersion": "1.35", **offer})

    assert lines(asking(clusters.support, "1.35"), place(stubbed=stubbed)) == [says]


def test_a_version_that_eks_does_not_have_is_a_problem_with_those_that_it_has(place):
    stubbed = offering({"clusterVersion": "1.35"}, {"clusterVersion": "1.34"})

    assert lines(asking(clusters.support, "1.36"), place(stubbed=stubbed)) == [
        "problem main EKS does not offer Kubernetes 1.36 here. It offers 1.34 and 1.35."
    ]


def insight(number, status, **more):
    return {
        "id": str(number),
        "name": f"Check {number}",
        "kubernetesVersion": "1.35",
        "insightStatus": {"status": status, **more},
    }


def listing(*insights):
    parameters = {"clusterName": NAME, "filter": {"categories": ["UPGRADE_READINESS"]}}
    return ("list_insights", parameters, {"insights": list(insights)})


def test_insights_that_pass_are_counted(place):
    stubbed = {"eks": [running(), listing(insight(1, "PASSING"), insight(2, "PASSING"))]}

    assert lines(asking(clusters.insights, "1.35"), place(stubbed=stubbed)) == [
        "ok main/spark-a EKS has looked for what stands in the way: 2 of 2 pass."
    ]


def test_an_api_that_goes_is_told_with_who_called_it(place):
    details = {
        **insight(1, "ERROR"),
        "recommendation": "Update\nmanifests.",
        "categorySpecificSummary": {
            "deprecationDetails": [
                {
                    "usage": "/apis/batch/v1beta1/cronjobs",
                    "stopServingVersion": "1.35",
                    "clientStats": [
                        {
                            "userAgent": "airflow",
                            "numberOfRequestsLast30Days": 7,
                            "lastRequestTime": datetime(2026, 11, 1, tzinfo=UTC),
                        }
                    ],
                }
            ]
        },
    }
    stubbed = {
        "eks": [
            running(),
            listing(insight(1, "ERROR", reason="Deprecated API usage detected.")),
            ("describe_insight", {"clusterName": NAME, "id": "1"}, {"insight": details}),
        ]
    }

    assert lines(asking(clusters.insights, "1.35"), place(stubbed=stubbed)) == [
        "problem main/spark-a EKS says: Check 1: Deprecated API usage detected. Update manifests. In the "
        "last 30 days: /apis/batch/v1beta1/cronjobs by airflow."
    ]


def test_insights_about_later_versions_do_not_stand_in_the_way(place):
    later = {**insight(2, "WARNING"), "kubernetesVersion": "1.36"}
    stubbed = {"eks": [running(), listing(insight(1, "PASSING"), later)]}

    assert lines(asking(clusters.insights, "1.35"), place(stubbed=stubbed)) == [
        "ok main/spark-a EKS has looked for what stands in the way: 1 of 1 pass."
    ]


def test_an_insight_without_an_answer_and_a_cluster_without_insights_are_not_checked(place):
    unknown = {"eks": [running(), listing(insight(1, "UNKNOWN"))]}
    none = {"eks": [running(), listing()]}

    assert lines(asking(clusters.insights, "1.35"), place(stubbed=unknown)) == [
        "not checked main/spark-a EKS says: Check 1: Check 1."
    ]
    assert lines(asking(clusters.insights, "1.35"), place(stubbed=none)) == [
        "not checked main/spark-a EKS has no insights about upgrades of this cluster yet."
    ]


@pytest.mark.parametrize(
    ("free", "says"),
    [
        ((3, 40), "ok main/spark-a The subnets of the control plane have 43 free addresses."),
        (
            (0, 40),
            "warning main/spark-a Of the control plane's subnets, subnet-0 has no free address. EKS may want "
            "to place an interface there: free some.",
        ),
        (
            (1, 3),
            "problem main/spark-a The subnets of the control plane have 4 free addresses, and EKS may need "
            "5. Free some: remove interfaces that nobody uses.",
        ),
    ],
)
def test_the_new_control_plane_needs_addresses_in_its_subnets(place, free, says):
    ids = ["subnet-0", "subnet-1"]
    subnets = [
        {"SubnetId": name, "AvailableIpAddressCount": count} for name, count in zip(ids, free, strict=True)
    ]
    stubbed = {
        "eks": [running(resourcesVpcConfig={"subnetIds": ids})],
        "ec2": [("describe_subnets", {"SubnetIds": ids}, {"Subnets": subnets})],
    }

    assert lines(asking(clusters.addresses, "1.35"), place(stubbed=stubbed)) == [says]
