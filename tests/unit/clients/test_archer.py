"""Archer's client and its command line, with a service that runs."""

import inspect
import json
import os
import re
import subprocess
import sys
import threading

import archer
import httpx
import pytest
import yaml
from archer.client import Archer
from archer.credentials import SECONDS, IamCredentials, TokenCredentials
from archer.problem import Problem, Unreachable
from botocore.session import Session

from localcloud.cloud import REPOSITORY
from moka.submission.job_id import parse_id
from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import transitions
from tests.support.archer import start
from tests.support.jobs import make_job

JOB = make_job().model_dump(mode="json", exclude_unset=True)
CLIENT = REPOSITORY / "clients" / "archer"


@pytest.fixture
def client(service):
    with Archer(service.url, TokenCredentials("ann")) as client:
        yield client


@pytest.fixture
def command(service, tmp_path):
    """Run `archer` with arguments."""
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(JOB))

    def run(*arguments, token="ann", url=service.url, text=None):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("ARCHER_")}
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "archer",
                *(str(file) if argument == "JOB" else argument for argument in arguments),
            ],
            env={**variables, "PYTHONPATH": str(CLIENT), "ARCHER_URL": url, "ARCHER_TOKEN": token},
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def end(service, job, state=State.SUCCEEDED, reason=Reason.SUCCEEDED, message=""):
    """Have a job end, as a worker does."""
    last = transitions.End(job=parse_id(job), attempt=1, state=state, reason=reason, message=message)
    service.run(lambda pool: pool.run(lambda connection: transitions.record_ends(connection, [last])))


def test_there_is_a_method_for_every_operation_of_the_document_and_the_document_is_that_of_the_service(
    service,
):
    document = json.loads((CLIENT / "archer" / "openapi.json").read_text())
    operations = {one["operationId"] for path in document["paths"].values() for one in path.values()}
    methods = {name for name, _ in inspect.getmembers(Archer, inspect.isfunction)}

    assert operations <= methods
    assert httpx.get(f"{service.url}/openapi.json").json() == document


def test_a_job_is_submitted_followed_and_waited_for(service, client):
    job = client.submit(JOB)["id"]
    timer = threading.Timer(0.5, end, (service, job))
    timer.start()

    assert [event["state"] for event in client.follow(job)] == ["accepted", "queued", "succeeded"]
    assert client.wait(job)["state"] == "succeeded"
    assert client.get_document(job) == JOB
    assert [one["id"] for one in client.list_jobs(owner="me")] == [job]


def test_all_pages_of_a_list_come_one_after_the_other(client):
    ids = [client.submit(JOB)["id"] for _ in range(7)]

    assert [job["id"] for job in client.list_jobs(owner="me", limit=3)] == ids[::-1]


def test_a_submission_whose_answer_is_lost_is_sent_again_and_makes_one_job(service):
    lost = iter([httpx.ReadTimeout("cut off"), httpx.ConnectError("refused"), None])

    class Losing(httpx.HTTPTransport):
        def handle_request(self, request):
            answer = super().handle_request(request)
            if error := next(lost, None):
                answer.close()
                raise error
            return answer

    with Archer(service.url, TokenCredentials("ann"), transport=Losing()) as client:
        job = client.submit(JOB)
        assert not job["new"]
        assert [one["id"] for one in client.list_jobs(owner="me")] == [job["id"]]


def test_who_sends_too_much_waits_as_long_as_is_asked():
    answers = [
        httpx.Response(429, headers={"retry-after": "1"}, json={"detail": "Slower."}),
        httpx.Response(201, json={"id": "1", "new": True}),
    ]
    keys = []

    def answer(request):
        keys.append(request.headers["idempotency-key"])
        return answers.pop(0)

    with Archer("http://archer", transport=httpx.MockTransport(answer)) as client:
        assert client.submit(JOB)["id"] == "1"
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_credentials_of_aws_are_signed_anew_before_their_request_expires(monkeypatch):
    now = [1_000.0]
    monkeypatch.setattr("archer.credentials.time.time", lambda: now[0])
    for name, value in {"ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "SECRET_ACCESS_KEY": "secret"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    credentials = IamCredentials("test", "us-east-1")
    signed = credentials.header()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")

    now[0] += SECONDS / 2 - 1
    assert credentials.header() == signed
    now[0] += 1
    monkeypatch.setattr(credentials, "_session", Session())
    assert credentials.header() != signed


def test_credentials_of_aws_that_cannot_be_had_are_a_sentence(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "of-nobody")
    with pytest.raises(RuntimeError, match=r"of-nobody.*: log in"):
        IamCredentials("test", "us-east-1").header()


def test_what_archer_refuses_is_a_problem_with_all_places(client):
    with pytest.raises(Problem) as refusal:
        client.submit({**JOB, "teir": 1, "driver": {"memory": "lots"}})

    assert (refusal.value.status, refusal.value.kind) == (422, "invalid-job")
    assert {at for at, _ in refusal.value.mistakes} == {"teir", "driver.memory"}


def test_an_archer_that_is_not_there_is_given_up_in_the_end():
    with Archer("http://127.0.0.1:9", patience=0.1) as client, pytest.raises(Unreachable) as error:
        client.list_clusters()
    assert "look at the URL" in str(error.value)


def test_the_command_submits_and_shows_what_happens_until_the_end(service, command):
    result = {}

    def submit():
        result["done"] = command("submit", "JOB", "--wait")

    thread = threading.Thread(target=submit)
    thread.start()
    with Archer(service.url, TokenCredentials("ann")) as client:
        while not (jobs := list(client.list_jobs(owner="me"))):
            assert thread.is_alive(), result["done"].stderr
    end(service, jobs[0]["id"])
    thread.join()
    done = result["done"]

    assert done.returncode == 0, done.stderr
    states = re.findall(r"^\d\d:\d\d:\d\d  (\w+)", done.stdout, re.MULTILINE)
    assert states == ["accepted", "queued", "succeeded"]
    assert done.stdout.startswith(f"{jobs[0]['id']}  {JOB['name']}\n")


def test_the_exit_status_says_how_a_job_ended(service, command):
    job = json.loads(command("submit", "JOB", "--json").stdout)["id"]
    end(service, job, State.FAILED, Reason.PROGRAM_FAILED, "exit code 1")
    waited = command("status", job, "--wait")
    shown = command("status", job)

    assert (waited.returncode, shown.returncode) == (1, 0)
    assert f"{JOB['name']}  failed: exit code 1" in shown.stdout


def test_a_job_that_has_ended_shows_where_it_was(service, command):
    never = json.loads(command("submit", "JOB", "--json").stdout)["id"]
    end(service, never, State.CANCELLED, Reason.STOPPED)
    job = json.loads(command("submit", "JOB", "--json").stdout)["id"]
    service.run(lambda pool: start(pool, "spark-0a1b2c"))
    end(service, job)

    assert "cluster  spark-a, namespace spark-jobs\n" in command("status", job).stdout
    assert "cluster  spark-a\n" in command("status", never).stdout


def test_the_same_key_makes_no_second_job_and_says_so(command):
    first, second = (command("submit", "JOB", "--key", "nightly-1") for _ in range(2))

    assert first.stdout.split()[0] == second.stdout.split()[0]
    assert "(submitted before)" in second.stdout


def test_lists_and_events_are_for_people_and_for_programs(command):
    job = command("submit", "-", text=yaml.safe_dump_all([JOB, {**JOB, "name": "second"}])).stdout.split()[0]
    table = command("list", "--mine").stdout.splitlines()
    lines = [json.loads(line) for line in command("list", "--mine", "--json").stdout.splitlines()]
    events = command("events", job).stdout

    assert table[0].split() == ["id", "name", "state", "queue", "tier", "owner", "submitted"]
    assert [line["name"] for line in lines] == ["second", JOB["name"]]
    assert len(table) == 3
    assert events.splitlines()[0].split()[1] == "accepted"


def test_a_job_is_stopped(command):
    job = command("submit", "JOB").stdout.split()[0]

    assert command("stop", job).stdout == f"{JOB['name']} is cancelled\n"


def test_why_a_job_waits_is_a_sentence_and_a_word(service, command):
    job = command("submit", "JOB").stdout.split()[0]
    told, program = command("why", job).stdout.splitlines(), json.loads(command("why", job, "--json").stdout)

    assert told[0] == "queued: no jobs of its queue and tier are before it on spark-a"
    assert re.fullmatch(r"  turn, since \d\d:\d\d:\d\d, as of \d\d:\d\d:\d\d", told[1])
    assert (program["word"], program["state"]) == ("turn", "queued")


@pytest.fixture
def logged(service, client, objects):
    """A job that runs, and the name of its driver's pod; its driver and executor 3 have printed something."""
    job = client.submit(JOB)["id"]
    driver = service.run(lambda pool: start(pool, "spark-0a1b2c"))
    objects.put(driver, [(1, "grün"), (2, "two")])
    objects.put("pi-8f-exec-3", [(1, "of executor 3")], role="executor")
    return job, driver


def test_logs_are_printed_of_the_driver_or_of_an_executor(command, logged):
    job, driver = logged

    assert command("logs", job).stdout == "grün\ntwo\n"
    assert command("logs", job, "--executor", "3", "--attempt", "1").stdout == "of executor 3\n"
    assert command("logs", job, "--times").stdout.startswith("2026-11-22T10:00:01.000000000Z grün\n")
    assert command("logs", job, "--pods").stdout.splitlines() == [driver, "pi-8f-exec-3"]
    missing = command("logs", job, "--executor", "4")
    assert (missing.returncode, missing.stdout) == (3, "")
    assert "no logs of executor 4" in missing.stderr


def test_logs_are_followed_until_the_end(service, command, logged, objects):
    job, driver = logged
    result = {}
    thread = threading.Thread(target=lambda: result.update(done=command("logs", "-f", job)))
    thread.start()
    objects.put(driver, [(61, "three")], begun=61)
    end(service, job)
    thread.join()

    assert result["done"].returncode == 0, result["done"].stderr
    assert result["done"].stdout == "grün\ntwo\nthree\n"


class CutOff(httpx.HTTPTransport):
    """Cuts each of the first answers off after so many bytes."""

    def __init__(self, *after):
        super().__init__()
        self._after = list(after)

    def handle_request(self, request):
        answer = super().handle_request(request)
        if self._after and answer.status_code < 300 and "/logs" in request.url.path:
            answer.stream = CutOffStream(answer.stream, self._after.pop(0))
        return answer


class CutOffStream(httpx.SyncByteStream):
    def __init__(self, whole, after):
        self._whole = whole
        self._after = after

    def __iter__(self):
        left = self._after
        for part in self._whole:
            yield part[:left]
            if len(part) >= left:
                raise httpx.ReadError("cut off")
            left -= len(part)

    def close(self):
        self._whole.close()


def test_logs_that_are_cut_off_in_the_middle_of_a_letter_go_on_there(service, logged):
    job, _ = logged
    with Archer(service.url, TokenCredentials("ann"), transport=CutOff(3, 2, 100)) as client:
        assert "".join(client.get_logs(job)) == "grün\ntwo\n"
    end(service, job)
    with Archer(service.url, TokenCredentials("ann"), transport=CutOff(30, 40)) as client:
        assert "".join(client.follow_logs(job)) == "grün\ntwo\n"


@pytest.mark.parametrize(
    ("arguments", "options", "status", "words"),
    [
        (("submit", "nowhere.yaml"), {}, 2, "nowhere.yaml cannot be read: No such file"),
        (("submit", "-"), {"text": "a: [b"}, 2, "is not YAML"),
        (("submit", "-"), {"text": "- a"}, 2, "has to be a job file"),
        (("submit", "-"), {"text": "{name: pi, teir: 1}"}, 3, "teir: "),
        (("status", "nonsense"), {}, 3, "is not the id of a job"),
        (
            ("status", "JOB"),
            {"token": "", "url": "http://archer"},
            2,
            "There are no credentials for Archer: set ARCHER_TOKEN",
        ),
        (
            ("status", "1"),
            {"url": ""},
            2,
            "ARCHER_URL is not set, so Archer's address is unknown: set it, or give --url.",
        ),
        (("submit", "JOB"), {"token": "bob"}, 3, "bob may not submit"),
    ],
)
def test_mistakes_are_one_sentence_and_a_status_of_their_own(command, arguments, options, status, words):
    done = command(*arguments, **options)

    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_library_says_what_it_offers():
    assert set(archer.__all__) <= set(dir(archer))
