"""Requests to S3, as a server on loopback sees them."""

from contextlib import contextmanager

import pytest

from services.event_log_uploader.credentials import NoCredentials, PodIdentity
from services.event_log_uploader.s3 import S3, Part, RequestFailed
from tests.support.http_server import Handler, served
from tests.support.pod_identity_agent import pod_identity_agent

ERROR = (
    "<?xml version='1.0'?><Error><Code>{}</Code><Message>Please reduce your request rate.</Message></Error>"
)


@contextmanager
def answering(status, text=""):
    """A server that answers all requests alike -> its address, and the requests: method, path, body."""
    requests = []

    class S3Server(Handler):
        def do_PUT(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            requests.append((self.command, self.path, body))
            self.reply(status, text.encode(), "application/xml")

        do_DELETE = do_PUT

    with served(S3Server) as port:
        yield f"http://127.0.0.1:{port}", requests


@pytest.fixture
def agent(tmp_path):
    with pod_identity_agent(tmp_path / "token") as agent:
        yield agent


@pytest.fixture
def s3(agent):
    return lambda endpoint: S3("logs", "us-east-1", PodIdentity(agent.environment), endpoint)


def test_an_object_is_what_its_parts_are_one_after_another_as_large_as_they_were(s3, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"one, and what came later")
    two.write_bytes(b"two")

    with answering(200) as (endpoint, requests):
        size = s3(endpoint).put("hot/a b.zstd", [Part(one, 3), Part(two, 3)])

    assert (size, requests) == (6, [("PUT", "/logs/hot/a%20b.zstd", b"onetwo")])


@pytest.mark.parametrize("status", [200, 204])
def test_what_is_deleted_need_not_be_there(s3, status):
    with answering(status) as (endpoint, requests):
        s3(endpoint).delete("open/a")

    assert requests == [("DELETE", "/logs/open/a", b"")]


def test_what_s3_refuses_is_said_by_its_code(s3):
    with (
        answering(503, ERROR.format("SlowDown")) as (endpoint, _),
        pytest.raises(RequestFailed, match="PUT open/a: 503, SlowDown"),
    ):
        s3(endpoint).put("open/a", b"")


def test_credentials_that_s3_refuses_are_asked_for_anew(s3, agent):
    with answering(403, ERROR.format("ExpiredToken")) as (endpoint, _):
        client = s3(endpoint)
        for _ in range(2):
            with pytest.raises(NoCredentials, match="403, ExpiredToken"):
                client.put("open/a", b"")

    assert len(agent.tokens) == 2


def test_a_server_that_is_away_is_a_failure(s3):
    with answering(200) as (endpoint, _):
        pass
    with pytest.raises(RequestFailed, match=r"PUT open/a: .*refused"):
        s3(endpoint).put("open/a", b"")


def test_a_file_that_became_shorter_is_not_sent(s3, tmp_path):
    (tmp_path / "one").write_bytes(b"one")

    with (
        answering(200) as (endpoint, requests),
        pytest.raises(OSError, match="is shorter than it was"),
    ):
        s3(endpoint).put("hot/a", [Part(tmp_path / "one", 5)])

    assert requests == []


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("eu-west-1", "logs.s3.eu-west-1.amazonaws.com"),
        ("cn-north-1", "logs.s3.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_without_an_endpoint_it_is_the_bucket_s_own_host_by_tls(agent, region, host):
    client = S3("logs", region, PodIdentity(agent.environment))

    assert client.address == f"https://{host}/"


@pytest.mark.parametrize("endpoint", ["s3.example", "ftp://s3.example", "http://"])
def test_what_is_no_address_is_refused(agent, endpoint):
    with pytest.raises(ValueError, match="is no address of S3"):
        S3("logs", "us-east-1", PodIdentity(agent.environment), endpoint)
