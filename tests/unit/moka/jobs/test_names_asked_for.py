"""Which names a pod of a job asks CoreDNS for until it has one: resolv.conf(5), with the domains of EKS.

Domains: https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html
"""

import pytest

from moka.celeborn.configuration import master_hosts
from moka.jobs.application import spark_application
from tests.support.jobs import make_job, make_job_target

CLUSTER = ("svc.cluster.local", "cluster.local")
DOMAINS = ("spark-jobs.svc.cluster.local", *CLUSTER, "us-west-2.compute.internal")
KUBERNETES = 5
"""`ndots` of Kubernetes' own."""

DRIVER = "pi-0a1b2c-driver-svc.spark-jobs.svc"
SERVICES = {f"{DRIVER}.cluster.local", "kubernetes.default.svc.cluster.local", *master_hosts("celeborn", 3)}
"""What is there in the cluster; outside of it, every name is."""


def asked(name, ndots):
    """Names that are asked for, in order, up to the one that is there."""
    searched = [f"{name}.{domain}" for domain in DOMAINS]
    names = [name, *searched] if name.count(".") >= ndots else [*searched, name]
    there = [
        candidate in SERVICES or (candidate == name and name.endswith((".com", ".cn"))) for candidate in names
    ]
    return names[: there.index(True) + 1]


def outside(names):
    """Those that CoreDNS has to ask the VPC's resolver for."""
    return [name for name in names if not name.endswith(CLUSTER)]


@pytest.fixture(params=["driver", "executor"])
def ndots(request):
    spec = spark_application(make_job(), make_job_target())["spec"]
    [option] = spec[request.param]["template"]["spec"]["dnsConfig"]["options"]
    assert option["name"] == "ndots"
    return int(option["value"])


@pytest.mark.parametrize(
    "name",
    [
        "acme-lake.s3.us-west-2.amazonaws.com",
        "acme-lake.s3.amazonaws.com",
        "s3.us-west-2.amazonaws.com",
        "sts.us-west-2.amazonaws.com",
        "kms.us-west-2.amazonaws.com",
        "acme-lake.s3.cn-north-1.amazonaws.com.cn",
    ],
)
def test_a_name_of_aws_is_asked_for_once_and_not_with_every_domain_of_the_cluster(name, ndots):
    before = asked(name, KUBERNETES)

    assert asked(name, ndots) == [name]
    assert len(before) == (1 if name.endswith(".cn") else 5)


@pytest.mark.parametrize("name", [DRIVER, "kubernetes.default.svc"])
def test_a_name_of_the_cluster_is_found_there_as_before_without_asking_outside(name, ndots):
    assert asked(name, ndots) == asked(name, KUBERNETES)
    assert outside(asked(name, ndots)) == []
    # What AWS advises for pods that ask for names outside would ask there first.
    assert outside(asked(name, 2)) == [name]


def test_masters_of_celeborn_are_asked_for_by_their_whole_names(ndots):
    for host in master_hosts("celeborn", 3):
        assert asked(host, ndots) == [host]


def test_ten_thousand_executors_ask_a_fifth_of_what_they_would():
    """At most: each looks up one bucket anew once Java forgets it, after 30 s, its A and its AAAA record."""
    bucket, executors, seconds, records = "acme-lake.s3.us-west-2.amazonaws.com", 10_000, 30, 2

    by_ndots = {n: round(executors * records * len(asked(bucket, n)) / seconds) for n in (KUBERNETES, 3)}

    assert by_ndots == {KUBERNETES: 3333, 3: 667}
