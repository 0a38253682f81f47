import socket
from datetime import datetime
from urllib.parse import urlsplit

import boto3
import pytest

from localcloud.aws_server import AwsServer
from localcloud.plugins.aws.provider import Aws
from tests.local.aws.conftest import Bench, two_subnets
from tests.local.aws.tokens import ADDON, CLUSTER, ROLE_ARN, VPC


def test_a_client_that_waits_before_it_sends_its_body_may_go_on(cloud):
    url = urlsplit(AwsServer(cloud).url)
    head = f"PUT /waiting HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"

    with socket.create_connection((url.hostname, url.port), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n")
        connection.sendall(b"12345")


@pytest.mark.parametrize("operation", ["list_nodegroups", "list_fargate_profiles"])
def test_what_a_cluster_has_is_not_found_where_there_is_no_such_cluster(cloud, operation):
    session = boto3.Session("test", "test")
    eks = session.client("eks", region_name="us-east-1", endpoint_url=AwsServer(cloud).url)

    with pytest.raises(eks.exceptions.ResourceNotFoundException, match="No cluster found"):
        getattr(eks, operation)(clusterName="gone")


def test_clients_other_than_the_plugin_are_shown_what_eks_has_and_moto_has_not(cloud):
    bench = Bench(Aws(cloud, AwsServer(cloud).url))
    eks = bench.provider.api.client("eks")
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    inputs = {"name": "c", "roleArn": ROLE_ARN, "vpcConfig": {"subnetIds": two_subnets(bench, vpc.id)}}
    cluster = bench.make(CLUSTER, {**inputs, "version": "1.34"})
    bench.change(cluster, {**inputs, "version": "1.35"})
    bench.make(ADDON, {"clusterName": "c", "addonName": "coredns", "addonVersion": "v1.13.2-eksbuild.21"})
    try:
        assert eks.describe_cluster(name="c")["cluster"]["version"] == "1.35"
        assert eks.list_addons(clusterName="c")["addons"] == ["coredns"]
        addon = eks.describe_addon(clusterName="c", addonName="coredns")["addon"]
        assert (addon["addonVersion"], addon["status"]) == ("v1.13.2-eksbuild.21", "ACTIVE")
        assert isinstance(addon["createdAt"], datetime)
        assert eks.list_pod_identity_associations(clusterName="c")["associations"] == []
        with pytest.raises(eks.exceptions.ResourceNotFoundException, match="No addon found"):
            eks.describe_addon(clusterName="c", addonName="kube-proxy")
        with pytest.raises(eks.exceptions.ResourceNotFoundException, match="No cluster found"):
            eks.list_addons(clusterName="gone")
    finally:
        bench.clean()
