"""What people get for each state of a job: a real gateway before real servers."""

import asyncio
import gzip
import re

import psutil
import pytest
from aiohttp import web

from services.common.kubernetes import ApiError
from tests.support.ui_pages import (
    DOMAIN,
    HISTORY,
    OTHER_RUN,
    RUN,
    Uis,
    driver_pod,
    echoed,
    run_apart,
)

HOST = f"etl.data.{DOMAIN}"
LONG_AGO = "2026-01-01T00:00:00Z"
JUST_NOW = "2126-01-01T00:00:00Z"


@pytest.fixture
def asked():
    """Asks a gateway one thing: `asked(uis, host, path)`; with `open`, the UI listens."""

    def ask(uis, host=HOST, path="/", method="GET", *, open=False, **headers):
        async def play():
            async with uis:
                if open:
                    await uis.open_ui()
                return await uis.ask(host, path, method, **headers)

        return run_apart(play())

    return ask


def location(response):
    status, headers, _ = response
    assert status == 302
    assert headers["Cache-Control"] == "no-store"
    return headers["Location"]


def test_a_running_driver_is_proxied_with_its_path_and_query(asked):
    status, _, body = asked(Uis(driver_pod()), path="/jobs/job/?id=1&a=%2F%20", open=True)

    path, headers = echoed(body)
    assert status == 200
    assert path == "/jobs/job/?id=1&a=%2F%20"
    assert headers["host"] == HOST


def test_a_session_never_reaches_a_driver_and_its_cookies_never_come_back(asked):
    async def handler(request):
        response = web.json_response({"path": request.raw_path, "headers": dict(request.headers)})
        response.set_cookie("mine", "1")
        return response

    _, headers, body = asked(
        Uis(driver_pod(), handler=handler),
        open=True,
        Cookie="__Secure-moka-session=x",
        Authorization="Bearer x",
    )

    assert {"cookie", "authorization"} & echoed(body)[1].keys() == set()
    assert "Set-Cookie" not in headers


def test_each_application_is_led_to_its_own_driver():
    async def handler(request):
        return web.Response(text=request.transport.get_extra_info("sockname")[0])

    async def play():
        pods = [
            driver_pod(f"job-{number}", address=f"127.1.0.{number}", uid=str(number)) for number in (1, 2, 3)
        ]
        async with Uis(*pods, handler=handler) as uis:
            for number in (1, 2, 3):
                await uis.open_ui(f"127.1.0.{number}")
            return [(await uis.ask(f"job-{number}.data.{DOMAIN}"))[2] for number in (3, 1, 2)]

    assert run_apart(play()) == [b"127.1.0.3", b"127.1.0.1", b"127.1.0.2"]


@pytest.mark.parametrize("host", [f"a.etl.data.{DOMAIN}", DOMAIN, "evil.example", f"etl.data.{DOMAIN}."])
@pytest.mark.parametrize("path", ["/", "/metrics", "/healthz"])
def test_a_host_that_is_none_is_not_found_and_led_nowhere(asked, host, path):
    status, headers, body = asked(Uis(driver_pod()), host, path)

    assert (status, body) == (404, b"there is no page of that name\n")
    assert "Location" not in headers


@pytest.mark.parametrize("namespace", ["kube-system", "nowhere"])
def test_a_namespace_without_jobs_and_one_that_is_none_get_the_same_answer(asked, namespace):
    status, _, body = asked(Uis(), f"etl.{namespace}.{DOMAIN}")

    assert (status, body) == (403, f"jobs of {namespace} are not shown to you\n".encode())


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_pages_are_for_reading(asked, method):
    status, headers, _ = asked(Uis(driver_pod()), path="/jobs/job/kill/?id=1", method=method, open=True)

    assert status == 405
    assert headers["Allow"] == "GET, HEAD"


def test_the_head_of_a_page_is_its_head_only(asked):
    status, headers, body = asked(Uis(driver_pod()), method="HEAD", open=True)

    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0


def test_a_pending_driver_says_what_it_waits_for_and_looks_again(asked):
    pod = driver_pod(phase="Pending", address="", waiting="ContainerCreating")

    status, headers, body = asked(Uis(pod))

    assert status == 503
    assert headers["Retry-After"] == "5"
    assert b"its driver is Pending (ContainerCreating)" in body
    assert b'http-equiv="refresh" content="5"' in body


def test_a_driver_whose_ui_is_not_up_yet_is_waited_for(asked):
    status, _, body = asked(Uis(driver_pod(started=JUST_NOW)))

    assert status == 503
    assert b"its UI is not up yet" in body
    assert HISTORY.encode() not in body


def test_after_minutes_without_a_ui_its_page_in_the_history_is_offered(asked):
    status, _, body = asked(Uis(driver_pod(started=LONG_AGO)))

    assert status == 503
    assert f'href="{HISTORY}/history/{RUN}/"'.encode() in body


def test_a_driver_that_closes_the_ui_that_it_had_leads_to_its_history():
    async def play():
        async with Uis(driver_pod()) as uis:
            await uis.open_ui()
            status, _, _ = await uis.ask(HOST)
            await uis.close_ui()
            return status, await uis.ask(HOST, "/stages/")

    before, after = run_apart(play())

    assert before == 200
    assert location(after) == f"{HISTORY}/history/{RUN}/stages/"


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_driver_that_has_ended_leads_to_the_same_page_of_its_history(asked, phase):
    response = asked(Uis(driver_pod(phase=phase)), path="/jobs/job/?id=1")

    assert location(response) == f"{HISTORY}/history/{RUN}/jobs/job/?id=1"


@pytest.mark.parametrize("path", ["/../../api", "/%2e%2e/%2E%2E/api", "/jobs/..%2f"])
def test_no_path_leads_out_of_the_page_of_a_run(asked, path):
    async def play():
        async with Uis(driver_pod(phase="Succeeded")) as uis:
            reader, writer = await connected(uis)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            return answer

    answer = run_apart(play()).decode()

    target = re.search(r"(?im)^location: (\S+)\r$", answer)[1]
    assert target.startswith(f"{HISTORY}/history/{RUN}/")
    assert ".." not in target.replace("%2e", ".").replace("%2E", ".").split("/")


def resident_bytes():
    return psutil.Process().memory_info().rss


async def connected(uis):
    await uis.ask("evil.example")
    return await asyncio.open_connection("127.0.0.1", uis.port)


@pytest.mark.parametrize("target", ["http://evil.example/", "@evil.example/", "*"])
def test_a_request_for_another_server_is_refused(target):
    async def play():
        async with Uis(driver_pod()) as uis:
            await uis.open_ui()
            reader, writer = await connected(uis)
            writer.write(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            return answer

    assert run_apart(play()).split()[1] in (b"400", b"404")


def test_an_application_without_a_driver_says_its_state_and_queue(asked):
    application = {
        "spec": {"batchSchedulerOptions": {"queue": "root.a.b.tier1"}},
        "status": {"applicationState": {"state": "SUBMITTED"}},
    }

    status, headers, body = asked(Uis(applications={("data", "etl"): application}))

    assert (status, headers["Retry-After"]) == (503, "5")
    assert b"its state is SUBMITTED, its queue root.a.b.tier1" in body


def test_an_application_that_the_operator_has_not_seen_yet_is_new(asked):
    _, _, body = asked(Uis(applications={("data", "etl"): {"metadata": {}}}))

    assert b"its state is new" in body


def test_an_application_whose_driver_is_gone_leads_to_its_history(asked):
    application = {"status": {"sparkApplicationId": RUN, "applicationState": {"state": "COMPLETED"}}}

    response = asked(Uis(applications={("data", "etl"): application}), path="/jobs/")

    assert location(response) == f"{HISTORY}/history/{RUN}/jobs/"


def test_an_application_that_is_gone_leads_to_its_history_by_its_link(asked):
    assert location(asked(Uis(links={("data", "etl"): RUN}))) == f"{HISTORY}/history/{RUN}/"


def test_a_link_is_found_while_the_api_server_is_away(asked):
    uis = Uis(applications={("data", "etl"): OSError("away")}, links={("data", "etl"): RUN})

    assert location(asked(uis)) == f"{HISTORY}/history/{RUN}/"


def test_a_name_that_nothing_is_known_of_is_not_found(asked):
    status, _, body = asked(Uis())

    assert status == 404
    assert b"Namespace data has no job of that name. Histories are kept for 90 days." in body
    assert f'href="{HISTORY}"'.encode() in body


@pytest.mark.parametrize("error", [OSError("away"), ApiError(500, "etcd"), TimeoutError()])
def test_what_cannot_be_learned_is_not_said_to_be_missing(asked, error):
    status, headers, _ = asked(Uis(applications={("data", "etl"): error}))

    assert (status, headers["Retry-After"]) == (503, "5")


def test_whoever_guesses_names_does_not_make_the_gateway_ask_more_than_it_should():
    async def play():
        async with Uis() as uis:
            statuses = [(await uis.ask(f"guess-{number}.data.{DOMAIN}"))[0] for number in range(60)]
            return statuses, len(uis.asked)

    statuses, asked = run_apart(play())

    assert statuses.count(503) > 0
    # Twenty at once of each kind, and what comes due meanwhile.
    assert asked < 120 - statuses.count(503)


def test_the_same_name_is_asked_for_once_in_a_moment():
    async def play():
        async with Uis() as uis:
            await uis.ask(HOST)
            await asyncio.gather(*(uis.ask(HOST) for _ in range(30)))
            return len(uis.asked)

    # The API server and S3, and once more where the moment is over.
    assert run_apart(play()) <= 4


def test_the_address_of_a_run_leads_to_the_live_ui_while_it_is_that_run(asked):
    response = asked(Uis(driver_pod()), path=f"/run/{RUN}/jobs/?id=1")

    assert location(response) == f"https://{HOST}/jobs/?id=1"


def test_the_address_of_a_run_leads_to_its_history_once_another_run_has_the_name(asked):
    response = asked(Uis(driver_pod()), path=f"/run/{OTHER_RUN}/")

    assert location(response) == f"{HISTORY}/history/{OTHER_RUN}/"


def test_the_address_of_a_run_leads_nowhere_else(asked):
    assert location(asked(Uis(driver_pod()), path=f"/run/{RUN}//evil.example/")).startswith(
        f"https://{HOST}/"
    )


@pytest.mark.parametrize("path", ["/run/spark-1/", "/run/", f"/run/{RUN}x/", f"/run/{RUN.upper()}/"])
def test_a_run_that_spark_would_not_name_so_is_not_found(asked, path):
    assert asked(Uis(driver_pod()), path=path, open=True)[0] == 404


def test_a_redirect_of_a_ui_stays_at_the_address_that_people_use(asked):
    async def handler(request):
        raise web.HTTPFound(f"http://{request.host}:4040/jobs/")

    _, headers, _ = asked(Uis(driver_pod(), handler=handler), open=True)

    assert headers["Location"] == "/jobs/"


def test_a_compressed_page_passes_as_it_is(asked):
    packed = gzip.compress(b"<html>")

    async def handler(request):
        assert request.headers["Accept-Encoding"] == "gzip"
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    _, headers, body = asked(Uis(driver_pod(), handler=handler), open=True, **{"Accept-Encoding": "gzip"})

    assert body == packed
    assert headers["Content-Encoding"] == "gzip"


def test_a_page_of_300_mb_is_not_held_in_memory(asked):
    async def handler(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(300):
            await response.write(bytes(1 << 20))
        return response

    async def play():
        async with Uis(driver_pod(), handler=handler) as uis:
            await uis.open_ui()
            reader, writer = await connected(uis)
            writer.write(f"GET / HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
            size, peak, before = 0, 0, resident_bytes()
            while chunk := await reader.read(1 << 16):
                size += len(chunk)
                peak = max(peak, resident_bytes())
            writer.close()
            return size, peak - before

    size, grown = run_apart(play())

    assert size > 300 << 20
    # On a busy machine the test's own server and reader came to 62 MiB.
    assert grown < size // 3


def test_a_driver_leaves_no_service_worker_behind(asked):
    headers = {"Service-Worker": "script"}

    assert asked(Uis(driver_pod()), path="/worker.js", open=True, **headers)[0] == 403


def test_a_job_whose_address_another_has_by_now_shows_nothing_of_it(asked):
    """Its node is lost, and its watch has not said so; the other is of another namespace."""
    other = driver_pod("other", namespace="science", created="2026-11-22T11:00:00Z", run=OTHER_RUN)

    status, _, body = asked(Uis(driver_pod(), other), open=True)

    assert status == 504
    assert "its address is another job&#x27;s by now" in str(body)


def test_half_a_page_does_not_look_like_a_whole_one():
    async def handler(request):
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"half")
        request.transport.abort()
        return response

    async def play():
        async with Uis(driver_pod(), handler=handler) as uis:
            await uis.open_ui()
            reader, writer = await connected(uis)
            writer.write(f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            try:
                answer = await reader.read()
            except ConnectionResetError:
                answer = b""
            writer.close()
            return answer

    # The end of a body in chunks.
    assert not run_apart(play()).endswith(b"0\r\n\r\n")


def test_a_driver_that_answers_nonsense_is_said_not_to_answer():
    async def play():
        async def nonsense(_, writer):
            writer.write(b"nonsense\r\n\r\n")
            writer.close()

        async with Uis(driver_pod()) as uis:
            server = await asyncio.start_server(nonsense, "127.1.0.1", uis.ui_port)
            async with server:
                return await uis.ask(HOST)

    status, _, body = run_apart(play())

    assert status == 504
    assert b"its UI gave no answer" in body


def test_a_page_of_the_platform_is_proxied_to_the_server_of_its_path():
    async def play():
        uis = Uis()
        uis._platform = [f"yunikorn.{DOMAIN}=http://127.1.0.1:{uis.ui_port}"]
        async with uis:
            await uis.open_ui()
            host = f"yunikorn.{DOMAIN}"
            queues = await uis.ask(host, "/ws/v1/queues")
            refused = await uis.ask(host, "/ws/v1/validate-conf", "POST")
            await uis.close_ui()
            return queues, refused, await uis.ask(host)

    queues, refused, gone = run_apart(play())

    assert echoed(queues[2])[0] == "/ws/v1/queues"
    assert refused[0] == 405
    assert gone[0] == 502


@pytest.mark.parametrize(
    ("path", "status"), [("/healthz", 200), ("/ready", 503), ("/metrics", 200), ("/", 404)]
)
def test_probes_and_scrapes_come_by_address(asked, path, status):
    assert asked(Uis(), "10.0.0.1:8080", path)[0] == status


def test_requests_are_counted_by_page_and_status():
    async def play():
        async with Uis(driver_pod()) as uis:
            await uis.open_ui()
            await uis.ask(HOST)
            await uis.ask("evil.example")
            return await uis.ask("127.0.0.1", "/metrics", **{"Accept-Encoding": "identity"})

    text = run_apart(play())[2].decode()

    assert 'moka_ui_gateway_requests_total{page="job",status="2xx"} 1.0' in text
    assert 'moka_ui_gateway_requests_total{page="none",status="4xx"} 1.0' in text
    assert 'moka_ui_gateway_request_seconds_bucket{le="60.0"} 2.0' in text


def test_names_in_pages_are_text(asked):
    pod = driver_pod(phase="Pending", waiting="<script>")

    _, _, body = asked(Uis(pod))

    assert b"<script>" not in body
