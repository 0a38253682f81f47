import socket
from urllib.parse import urlsplit

from localcloud.aws_server import AwsServer


def test_a_client_that_waits_before_it_sends_its_body_may_go_on(cloud):
    url = urlsplit(AwsServer(cloud).url)
    head = f"PUT /waiting HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"

    with socket.create_connection((url.hostname, url.port), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n")
        connection.sendall(b"12345")
