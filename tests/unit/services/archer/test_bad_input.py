"""What nobody should send to Archer: each has its answer, and costs no other user theirs."""

import asyncio
import json
from urllib.parse import quote

import pytest

from moka.jobs import job_file
from moka.mistakes import InvalidDocument
from moka.submission.rights import Right
from services.archer.service import changes
from services.archer.service.protocol import Protocol
from tests.support.archer import OPERATOR
from tests.support.jobs import make_job

JOB = make_job().model_dump(mode="json", exclude_unset=True)
TEXT = json.dumps(JOB)
BOB, OPS = {"X-Sender": "bob"}, {"X-Sender": "olga operators"}


def with_text(more):
    """The job with more keys, as they are written."""
    return (TEXT[:-1] + ", " + more + "}").encode()


REFUSED_BY_MOKA_JOB = {
    "an unknown key": with_text('"teir": 1'),
    "a key twice": with_text('"name": "other"'),
    "a key twice, deeper": with_text('"annotations": {"a": "1", "a": "2"}'),
    "a secret in plain": with_text('"conf": {"spark.x": "AKIAIOSFODNN7EXAMPLF"}'),
    "three hundred levels": with_text('"conf": ' + "[" * 300 + "]" * 300),
    "text for a number": with_text('"tier": "1"').replace(b'"tier": 1, ', b""),
    "a number of thousands of digits": with_text('"conf": {"spark.x": ' + "9" * 5000 + "}"),
    "half of a character": with_text('"main_class": "\\ud800"'),
    "no keys": b'["pi"]',
}


@pytest.mark.parametrize("text", REFUSED_BY_MOKA_JOB.values(), ids=REFUSED_BY_MOKA_JOB)
def test_what_moka_job_refuses_is_refused_and_costs_no_other_job_of_a_batch(serve, text):
    with pytest.raises(InvalidDocument):
        for draft in job_file.read(text, "job"):
            assert draft.mistakes, "moka job takes it"
            raise InvalidDocument("its mistakes")

    async def work(client):
        one = await client.post("/v1/jobs", content=text)
        batch = await client.post("/v1/jobs/batch", content=b"[" + text + b"," + TEXT.encode() + b"]")
        return one, batch

    one, batch = serve(work)
    assert one.status_code in (400, 422)
    assert one.json()["detail"]
    if batch.status_code == 200:
        assert [entry["new"] for entry in batch.json()["jobs"]] == [False, True]
    else:
        assert batch.status_code == 400


def test_a_secret_is_not_repeated_in_the_answer(serve):
    async def work(client):
        return (await client.post("/v1/jobs", content=REFUSED_BY_MOKA_JOB["a secret in plain"])).text

    assert "AKIA" not in serve(work)


BODIES = {
    "50 MB": (b" " * 50_000_000, 413),
    "deep": (b"[" * 30_000 + b"]" * 30_000, 400),
    "not UTF-8": (b'{"why": "\xff"}', 400),
    "NaN": (b'{"why": NaN}', 400),
    "beyond 64 bits": (b'{"why": 1' + b"0" * 30 + b"}", 400),
    "half of a character": (b'{"why": "\\ud800"}', 400),
    "U+0000": (b'{"why": "a\\u0000b"}', 400),
    "twice": (b'{"why": "a", "why": "b"}', 400),
    "long": (json.dumps({"why": "a" * 1001}).encode(), 400),
    "a list": (b"[]", 400),
    "nothing": (b"", 400),
}
WRITES = ("/v1/routes", "/v1/clusters/spark-a/cordon")


@pytest.mark.parametrize(("body", "status"), BODIES.values(), ids=BODIES)
def test_bodies_of_operators_are_bounded_and_read_as_strictly(serve, body, status):
    async def work(client):
        return [await client.put(path, content=body, headers=OPS) for path in WRITES]

    for answer in serve(work):
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"


MEDIA = {
    "text": {"Content-Type": "text/plain"},
    "a form": {"Content-Type": "application/x-www-form-urlencoded"},
    "gzip": {"Content-Encoding": "gzip"},
}


@pytest.mark.parametrize("headers", MEDIA.values(), ids=MEDIA)
def test_a_body_that_says_it_is_something_else_is_refused(serve, headers):
    async def work(client):
        return await client.post("/v1/jobs", content=TEXT, headers=headers)

    assert serve(work).json()["type"] == "urn:archer:wrong-media-type"


TRICKS = (
    "'; DROP TABLE jobs; --",
    "../../etc/passwd",
    "a\0b",
    "\u202e\U0001f600\u0130",
    "a" * 5000,
    "9" * 30,
    "-1",
    "1e9",
    "NaN",
    "%s%n",
    "{{7*7}}",
    "${jndi:ldap://x}",
    "\r\nX-Injected: 1",
)
PLACES = (
    ("GET", "/v1/jobs/{}"),
    ("DELETE", "/v1/jobs/{}"),
    ("GET", "/v1/jobs/{}/events"),
    ("GET", "/v1/jobs/{job}?wait={}"),
    ("GET", "/v1/jobs/{job}/logs?pod={}"),
    ("GET", "/v1/jobs/{job}/logs?attempt={}"),
    *(("GET", f"/v1/jobs?owner={{}}&{name}={{}}") for name in ("name", "queue", "tier", "workflow")),
    *(("GET", f"/v1/jobs?owner=me&{name}={{}}") for name in ("state", "limit", "cursor")),
    ("GET", "/v1/routes?workflow={}"),
    ("DELETE", "/v1/routes/{}"),
    ("DELETE", "/v1/clusters/{}/cordon"),
)
HEADERS = ("Idempotency-Key", "Last-Event-ID", "Range", "Accept", "X-Forwarded-User", "X-Forwarded-For")


def test_tricks_in_every_parameter_are_answered_as_mistakes(serve):
    async def work(client):
        job = (await client.post("/v1/jobs", json=JOB)).json()["id"]
        answers = []
        for trick in TRICKS:
            for method, path in PLACES:
                filled = path.replace("{job}", job).replace("{}", quote(trick, safe=""))
                answers.append(await client.request(method, filled, headers={"X-Sender": "olga operators"}))
            if trick.isascii() and trick.isprintable():
                for path in (f"/v1/jobs/{job}/events", f"/v1/jobs/{job}/logs"):
                    headers = dict.fromkeys(HEADERS, trick)
                    answers.append(await client.get(path, headers=headers))
        there = await client.get(f"/v1/jobs/{job}")
        return answers, there.json()

    answers, there = serve(work)
    odd = [
        (answer.request.method, str(answer.url)[:90], answer.status_code, answer.text[:200])
        for answer in answers
        if answer.status_code not in (200, 204, 400, 403, 404, 416)
        or (answer.status_code >= 400 and answer.headers["content-type"] != "application/problem+json")
        or "x-injected" in answer.headers
    ]
    assert odd == []
    assert there["state"] == "queued"


def test_a_stream_that_begins_after_a_number_that_no_event_has_is_refused(serve):
    async def work(client):
        job = (await client.post("/v1/jobs", json=JOB)).json()["id"]
        path = f"/v1/jobs/{job}/events"
        return [await client.get(path, headers={"Last-Event-ID": last}) for last in ("9999999999", "x", "-1")]

    assert [answer.status_code for answer in serve(work)] == [400] * 3


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/v1/jobs", 405),
        ("OPTIONS", "/v1/jobs", 405),
        ("TRACE", "/v1/jobs", 405),
        ("PATCH", "/v1/routes", 405),
        ("GET", "/v1/jobs/", 404),
    ],
)
def test_another_method_and_another_address_are_no_page_and_lead_nowhere(serve, method, path, status):
    async def work(client):
        return await client.request(method, path, headers={"Host": "evil.example"})

    answer = serve(work)
    assert answer.status_code == status
    assert "location" not in answer.headers
    assert (status == 405) == ("allow" in answer.headers)
    assert answer.headers["content-type"] == "application/problem+json"


async def raw(client, data, more=b""):
    """What is answered to bytes, until the connection is closed."""
    reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    try:
        writer.write(data)
        if more:
            writer.write(more)
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


RAW = {
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "a header of 1 MB": (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 1_000_000, 431),
    "many headers": (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 100_000, 431),
    "two lengths": (
        b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nxxxxx",
        400,
    ),
    "a length and chunks": (
        b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        400,
    ),
    "a wrong chunk": (b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
    "a header that is folded": (b"GET / HTTP/1.1\r\nHost: x\r\nX-Sender: a\r\n b\r\n\r\n", 400),
}


@pytest.mark.parametrize(("data", "status"), RAW.values(), ids=RAW)
def test_what_is_no_request_is_answered_as_a_problem_and_its_connection_ends(serve, data, status):
    async def work(client):
        answer = await raw(client, data)
        return answer, (await client.get("/v1/clusters")).status_code

    answer, other = serve(work)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"application/problem+json" in answer
    assert other == 200


SLOW = {
    "nothing at all": b"",
    "an empty line": b"\r\n",
    "headers without an end": b"GET /v1/jobs HTTP/1.1\r\nHost: x\r\n",
    "a body without an end": b"PUT /v1/routes HTTP/1.1\r\nX-Sender: ann\r\nContent-Length: 9\r\n\r\n",
}


@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW)
def test_who_sends_without_an_end_is_let_go_and_others_are_answered_meanwhile(serve, monkeypatch, data):
    # On a busy machine half a second was too short for the request of the others, too: 408.
    monkeypatch.setattr(Protocol, "seconds", 2.0)

    async def work(client):
        slow = [asyncio.create_task(raw(client, data)) for _ in range(50)]
        other = await client.get("/v1/clusters")
        return await asyncio.gather(*slow), other.status_code

    answers, other = serve(work)
    assert {answer.split(b"\r\n")[0] for answer in answers} == {
        b"HTTP/1.1 408 The request did not arrive in time"
    }
    assert other == 200


def test_connections_beyond_the_bound_are_told_so(serve, monkeypatch):
    monkeypatch.setattr(Protocol, "most", 20)

    async def work(client):
        known = await client.get("/v1/clusters")
        held = [await asyncio.open_connection(client.base_url.host, client.base_url.port) for _ in range(19)]
        refused = await raw(client, b"")
        again = await client.get("/v1/clusters")
        for _, writer in held:
            writer.close()
        return known.status_code, refused, again.status_code

    known, refused, again = serve(work)
    assert refused.startswith(b"HTTP/1.1 503 ")
    assert (known, again) == (200, 200)


def test_one_principal_does_not_take_all_the_places_in_which_to_wait(serve, monkeypatch):
    monkeypatch.setattr(changes, "MOST_EACH", 5)

    async def work(client):
        job = (await client.post("/v1/jobs", json=JOB)).json()["id"]
        path = f"/v1/jobs/{job}?wait=2s"
        waits = [asyncio.create_task(client.get(path)) for _ in range(6)]
        other = asyncio.create_task(client.get(path, headers=OPS))
        return sorted(answer.status_code for answer in await asyncio.gather(*waits)), (
            await other
        ).status_code

    assert serve(work) == ([200] * 5 + [503], 200)


def test_a_batch_counts_as_its_jobs_and_one_of_more_than_may_come_at_once_is_owed(serve):
    async def work(client):
        large = await client.post("/v1/jobs/batch", json=[JOB] * 30)
        after = await client.get("/v1/clusters")
        other = await client.get("/v1/clusters", headers=BOB)
        return large, after, other.status_code

    large, after, other = serve(work, rate=20)
    assert large.status_code == 200
    # Ten are owed, and one is asked for.
    assert (after.status_code, after.headers["retry-after"]) == (429, "1")
    assert other == 200


def test_a_job_with_thousands_of_mistakes_is_refused_before_each_is_looked_at(serve):
    many = {**JOB, **{f"k{number}": 1 for number in range(10_000)}}

    async def work(client):
        return await client.post("/v1/jobs", json=many)

    answer = serve(work)
    assert answer.status_code == 422
    assert "more than 5000 keys and values" in answer.json()["detail"]


def test_a_job_of_somebody_else_is_only_replaced_by_who_may_stop_it(serve):
    unique = {**JOB, "unique": {"key": "nightly", "second": "replace"}}
    submits = Right(who="user:*", may=frozenset({"submit"}))

    async def work(client):
        first = (await client.post("/v1/jobs", json=unique)).json()["id"]
        bobs = await client.post("/v1/jobs", json=unique, headers=BOB)
        state = (await client.get(f"/v1/jobs/{first}")).json()["state"]
        own = await client.post("/v1/jobs", json=unique)
        return bobs, state, own.status_code

    bobs, state, own = serve(work, rights=[submits, OPERATOR])
    assert (bobs.status_code, bobs.json()["type"]) == (403, "urn:archer:forbidden")
    assert (state, own) == ("queued", 201)


def test_a_method_that_is_not_there_is_told_all_that_are(serve):
    async def work(client):
        return await client.request("PATCH", "/v1/jobs")

    assert serve(work).headers["allow"] == "GET, POST"
