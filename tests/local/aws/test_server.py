import socket
from urllib.parse import urlsplit

import boto3
import pytest

from localcloud.aws_server import AwsServer


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

    with pytest.raises(eks.exceptions.ResourceNotFoundException, match="No cluster found for name: gone"):
        getattr(eks, operation)(clusterName="gone")
