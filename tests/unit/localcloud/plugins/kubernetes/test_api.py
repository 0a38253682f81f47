"""The client of API servers, against servers that answer badly."""

import socket
import ssl
import threading

import pytest
import trustme

from localcloud.plugins.kubernetes.api import Api, Unreachable
from localcloud.plugins.kubernetes.kubeconfig import Access

ALERT_DECODE_ERROR = bytes([21, 3, 3, 0, 2, 2, 50])
"""A record of TLS 1.2: a fatal alert, decode_error (RFC 8446, section 6)."""
ANSWER = b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"kind": "Pod"}'


class Server:
    """A server with a certificate that fails handshakes before it serves."""

    def __init__(self, failures):
        self.authority = trustme.CA()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert("127.0.0.1").configure_cert(self.context)
        self.failures = failures
        self.handshakes = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            with connection:
                hello = connection.recv(4096, socket.MSG_PEEK)
                if not hello:
                    return
                self.handshakes += 1
                if self.handshakes <= self.failures:
                    connection.recv(4096)
                    connection.sendall(ALERT_DECODE_ERROR)
                    continue
                try:
                    with self.context.wrap_socket(connection, server_side=True) as secured:
                        secured.recv(4096)
                        secured.sendall(ANSWER)
                except ssl.SSLError:
                    continue

    def stop(self):
        # A connection that says nothing is the last.
        socket.create_connection(self.listener.getsockname()).close()
        self.thread.join()
        self.listener.close()


@pytest.fixture
def serve():
    servers = []

    def start(failures):
        servers.append(Server(failures))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def api(server, authority):
    return Api(Access(server.url, authority.cert_pem.bytes().decode(), token="secret"))


def test_a_handshake_that_was_disturbed_is_tried_again(serve):
    server = serve(failures=2)

    assert api(server, server.authority).get("/api/v1/namespaces/default/pods/driver") == {"kind": "Pod"}
    assert server.handshakes == 3


def test_a_certificate_of_somebody_else_is_refused_at_once(serve):
    server = serve(failures=0)

    with pytest.raises(Unreachable, match="certificate verify failed"):
        api(server, trustme.CA()).get("/api/v1/namespaces/default/pods/driver")
    assert server.handshakes == 1
