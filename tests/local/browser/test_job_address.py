"""The one address of a job in a real browser, with and without a login: its live UI, and then its history.

Driver, History Server, uploader, gate and gateway are real; S3 is moto's, and TLS ends before the gateway.
"""

from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest
from oidc_provider_mock import User, run_server_in_thread

from moka import event_logs
from moka.pages import UI_PORT, history_path
from tests.support import chromium
from tests.support.event_log_drivers import BUCKET, event_log_pods
from tests.support.history_servers import gate_before
from tests.support.tls_front import tls_front
from tests.support.ui_login import login_by
from tests.support.ui_pages import DOMAIN, HISTORY_HOST, RUN, Uis, driver_pod, run_apart

pytestmark = chromium.NEEDED

ADDRESS = "127.44.0.3"
"""Of the driver: UIs of pods are at the same port of different addresses."""

HOST = f"etl.data.{DOMAIN}"
LOGIN_HOST = f"login.{DOMAIN}"
JOB = "/jobs/job/?id=0"
"""A page of the job, with a graph that a script draws."""

TABS = {"/jobs/": "Spark Jobs", "/stages/": "Stages for All Jobs", "/executors/": "Executors", "/SQL/": "SQL"}
"""Path -> what its page is called, of both UIs."""

OF_SPARK = f"://{HISTORY_HOST}/static/d3.min.js: Executing inline event handler violates"
"""Spark 4.3 refuses a handler in a graph of its own (spark-dag-viz.js) by its own Content-Security-Policy.
Links of the graph work without.
"""


@dataclass
class Pages:
    """Driver, uploader, History Server and gate. finish: has the job end, with its sidecar after it."""

    pods: object
    job: object
    uploader: object
    gate: object

    def finish(self):
        self.job.finish()
        assert self.job.wait() == 0, self.job.log.read_text()[-3000:]
        assert self.uploader.end() == 0
        assert event_logs.hot_key(RUN) in self.pods.moto.objects()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("address")
    with ExitStack() as stack:
        pods = stack.enter_context(event_log_pods(folder))
        driver = pods.driver()
        uploader = stack.enter_context(driver.uploader())
        job = stack.enter_context(driver.ui_job(RUN, ADDRESS))
        # It starts while the job does.
        server = stack.enter_context(pods.server())
        gate = stack.enter_context(
            gate_before(server, BUCKET, pods.moto.endpoint, pods.agent.environment, folder / "gate")
        )
        job.wait_for_step("ready")
        yield Pages(pods, job, uploader, gate)


@asynccontextmanager
async def way_in(gate, scheme, login=None):
    """A gateway for people with this scheme, and a tab before it."""
    platform = [f"{HISTORY_HOST}=http://127.0.0.1:{gate.port}"]
    links = {("data", "etl"): RUN}
    async with AsyncExitStack() as stack:
        uis = Uis(driver_pod(address=ADDRESS), links=links, platform=platform, scheme=scheme, login=login)
        uis.ui_port = UI_PORT
        await stack.enter_async_context(uis)
        # It listens once it answers.
        await uis.ask(HOST)
        port = uis.port
        if scheme == "https":
            port = await stack.enter_async_context(tls_front((HOST, LOGIN_HOST, HISTORY_HOST), port))
        yield uis, await stack.enter_async_context(chromium.tab(**{scheme: port}))


async def page_of(tab, scheme):
    """The job's page by its address -> where it is then, when it began, and how many nodes its graph has."""
    await tab.open(f"{scheme}://{HOST}{JOB}")
    # At first it may be a page that says that the history is being read.
    await tab.page.get_by_text("Details for Job 0").wait_for()
    await tab.page.wait_for_load_state("networkidle")
    await tab.page.locator("#expand-dag-viz-arrow, .expand-dag-viz").first.click()
    submitted = await tab.page.locator("li", has_text="Submitted:").first.inner_text()
    return tab.page.url, " ".join(submitted.split()), await tab.page.locator("#dag-viz-graph g.node").count()


async def tabs_by_links(tab):
    """Follows the link to each tab of a UI -> title of each page."""
    titles = {}
    for path in TABS:
        await tab.page.click(f'nav a[href$="{path}"]')
        await tab.page.wait_for_load_state("networkidle")
        titles[path] = await tab.page.title()
    return titles


def test_the_address_of_a_job_leads_to_its_live_ui_and_then_to_its_page_in_the_history(pages):
    async def play(issuer):
        async with (
            aiohttp.ClientSession() as session,
            way_in(pages.gate, "http") as (plain_uis, plain),
            way_in(pages.gate, "https", login_by(issuer, session, {"data": ["analysts"]})) as (
                uis,
                logged_in,
            ),
        ):
            tabs = {"http": plain, "https": logged_in}
            await logged_in.open(f"https://{HOST}{JOB}")
            await logged_in.page.click("button[value=ada]")
            await logged_in.page.wait_for_url(f"https://{HOST}{JOB}", wait_until="networkidle")
            live = {scheme: await page_of(tab, scheme) for scheme, tab in tabs.items()}

            pages.finish()

            ended = {scheme: await page_of(tab, scheme) for scheme, tab in tabs.items()}
            titles = {scheme: await tabs_by_links(tab) for scheme, tab in tabs.items()}
            for known in (plain_uis, uis):
                known.drivers.observe(driver_pod(address=ADDRESS), True)
            later = {scheme: await page_of(tab, scheme) for scheme, tab in tabs.items()}
            wrong = [line for tab in tabs.values() for line in tab.wrong if OF_SPARK not in line]
            return live, ended, titles, later, wrong

    ada = User(sub="ada", claims={"name": "Ada", "groups": ["analysts"]})
    with run_server_in_thread(user_claims=[ada]) as server:
        live, ended, titles, later, wrong = run_apart(play(f"http://localhost:{server.server_port}"))

    assert wrong == []
    for scheme in ("http", "https"):
        url, *seen = live[scheme]
        assert url == f"{scheme}://{HOST}{JOB}"
        assert ended[scheme] == (f"{scheme}://{HISTORY_HOST}{history_path(RUN)}{JOB}", *seen)
        # Its pod is gone, and a link to its run is what is left.
        assert later[scheme] == ended[scheme]
        assert all(TABS[path] in title for path, title in titles[scheme].items()), titles[scheme]
        assert seen[1] > 0
