"""Archer's programs as processes of their own, on a real PostgreSQL."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading

import httpx
import pytest
import trustme

from localcloud.loopback import free_port
from services.archer.database import environment, reading
from services.archer.database.pool import pool
from tests.support.iam_token import authorization, presigned
from tests.support.jobs import make_job, make_job_target
from tests.support.loops import run_apart

JOB = make_job().model_dump(mode="json", exclude_unset=True)


def url_of(address):
    return f"postgresql:///{address.database}?host={address.host}&sslmode=disable"


async def kept(start):
    """Start the keeper, and wait until the schema is there."""
    port = free_port()
    keeper = start("keeper", port)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        await ready(client, keeper)


@pytest.fixture
def start(address, laptop_aws, tmp_path):
    """Start a program; all end with the test."""
    for name, text in {"token": "x", "namespace": "archer"}.items():
        (tmp_path / name).write_text(text)
    trustme.CA().cert_pem.write_to_path(tmp_path / "ca.crt")
    file = tmp_path / "archer.json"
    file.write_text(
        json.dumps(
            {
                "environment": "test",
                "database": {"url": url_of(address)},
                "rights": [{"who": "user:arn:aws:sts::123456789012:*", "may": ["submit", "see", "stop"]}],
                "authentication": {"iam": {"region": "us-east-1"}},
                "rate": {"a_second": 10_000, "at_once": 10_000},
            }
        )
    )
    processes = []

    def start(program, port=0):
        processes.append(
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "services.archer", program),
                    *(f"--configuration={file}", f"--listen=127.0.0.1:{port}"),
                    f"--service-account={tmp_path}",
                ],
                env={
                    **os.environ,
                    "AWS_ENDPOINT_URL": laptop_aws,
                    "AWS_ACCESS_KEY_ID": "test",
                    "AWS_SECRET_ACCESS_KEY": "test",
                    "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                    "KUBERNETES_SERVICE_PORT": "1",
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


async def ready(client, process, path="/readyz"):
    while process.poll() is None:
        try:
            if (await client.get(path)).status_code == 200:
                return
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.05)
    raise AssertionError(process.stdout.read())


def test_a_fresh_database_gets_its_schema_and_a_job_is_taken_with_credentials_of_iam(
    start, laptop_aws, address
):
    async def work():
        await kept(start)
        async with pool(address) as connections:
            await connections.run(lambda c: environment.tell(c, "spark-a", make_job_target()))
        port = free_port()
        service = start("service", port)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            await ready(client, service)
            nobody = await client.post("/v1/jobs", json=JOB)
            taken = await client.post("/v1/jobs", json=JOB, headers=authorization(presigned(laptop_aws)))
            job = await client.get(taken.headers["location"], headers=authorization(presigned(laptop_aws)))
        service.send_signal(signal.SIGTERM)
        return nobody, taken, job.json(), await asyncio.to_thread(service.wait)

    nobody, taken, job, status = run_apart(work())
    assert (nobody.status_code, taken.status_code, status) == (401, 201, -signal.SIGTERM)
    assert job["owner"].startswith("arn:aws:sts::123456789012:")


def test_jobs_that_were_taken_are_there_though_the_service_is_killed_while_it_takes_more(
    start, laptop_aws, address
):
    # Good for longer than a busy machine takes for all of it.
    signed = authorization(presigned(laptop_aws, expires=900))

    async def send(client, number, taken):
        """Send until it is taken, as a client does that has a key."""
        headers = {**signed, "Idempotency-Key": str(number)}
        while True:
            try:
                answer = await client.post("/v1/jobs", json=JOB, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(0.1)
                continue
            assert answer.status_code in (200, 201), answer.text
            taken[number] = answer.json()["id"]
            return

    async def work():
        await kept(start)
        async with pool(address) as connections:
            await connections.run(lambda c: environment.tell(c, "spark-a", make_job_target()))
            port = free_port()
            taken = {}
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
                sending = []
                for kill in range(3):
                    service = start("service", port)
                    await ready(client, service)
                    numbers = range(kill * 100, kill * 100 + 100)
                    sending += [asyncio.create_task(send(client, number, taken)) for number in numbers]
                    while len(taken) < kill * 100 + 20:
                        await asyncio.sleep(0.01)
                    service.kill()
                await ready(client, start("service", port))
                await asyncio.gather(*sending)
            rows = await reading.jobs(connections, {}, most=1000)
            return taken, {row.id for row in rows}

    taken, rows = run_apart(work())
    assert len(taken) == len(set(taken.values())) == len(rows) == 300


def test_a_worker_says_in_a_sentence_what_is_wrong_with_its_configuration(start, tmp_path):
    (tmp_path / "archer.json").write_text("{")

    worker = start("worker")

    assert worker.wait() == 2
    assert "archer.json cannot be read" in worker.stdout.read()


def test_two_services_are_started_anew_one_by_one_and_no_request_is_lost(start, laptop_aws, address):
    signed = authorization(presigned(laptop_aws, expires=900))

    def serving(port):
        """A service whose log is read: with a full pipe it would stand still."""
        service = start("service", port)
        threading.Thread(target=service.stdout.read, daemon=True).start()
        return service

    async def work():
        await kept(start)
        async with pool(address) as connections:
            await connections.run(lambda c: environment.tell(c, "spark-a", make_job_target()))
        ports = [free_port(), free_port()]
        services = [serving(port) for port in ports]
        over = asyncio.Event()
        answers = []

        async def send(client, up):
            """A balancer's way: to those that were ready when they were last asked."""
            while not over.is_set():
                port = next(iter(up))
                up[port] = up.pop(port)
                answer = await client.post(f"http://127.0.0.1:{port}/v1/jobs", json=JOB, headers=signed)
                answers.append(answer.status_code if answer.is_success else answer.text)

        async def look(client, up):
            while not over.is_set():
                for port in ports:
                    try:
                        answer = await client.get(f"http://127.0.0.1:{port}/readyz")
                    except httpx.TransportError:
                        up.pop(port, None)
                    else:
                        up.update({port: True}) if answer.status_code == 200 else up.pop(port, None)
                await asyncio.sleep(0.2)

        async with httpx.AsyncClient(timeout=30) as client, httpx.AsyncClient(timeout=30) as probing:
            for port, service in zip(ports, services, strict=True):
                await ready(client, service, f"http://127.0.0.1:{port}/readyz")
            up = dict.fromkeys(ports, True)
            tasks = [asyncio.create_task(send(client, up)) for _ in range(4)]
            tasks.append(asyncio.create_task(look(probing, up)))
            job = await client.post(f"http://127.0.0.1:{ports[0]}/v1/jobs", json=JOB, headers=signed)
            wait = asyncio.create_task(
                client.get(f"http://127.0.0.1:{ports[0]}{job.headers['location']}?wait=60s", headers=signed)
            )
            page = await client.get(f"http://127.0.0.1:{ports[0]}/metrics")
            while "moka_archer_waits 1.0" not in page.text:
                page = await client.get(f"http://127.0.0.1:{ports[0]}/metrics")
            for number, port in enumerate(ports):
                services[number].send_signal(signal.SIGTERM)
                await asyncio.to_thread(services[number].wait)
                services[number] = serving(port)
                await ready(probing, services[number], f"http://127.0.0.1:{port}/readyz")
                while port not in up:
                    await asyncio.sleep(0.05)
            over.set()
            await asyncio.gather(*tasks)
            return await wait, answers, page.text

    waited, answers, page = run_apart(work())
    assert (waited.status_code, waited.json()["state"]) == (200, "queued")
    assert set(answers) == {201}
    assert 'moka_archer_submissions_total{outcome="taken"}' in page
