"""The UI of a real Spark driver through the gateway, in a real browser, with and without a login."""

from contextlib import asynccontextmanager
from types import SimpleNamespace

import aiohttp
import pytest
from oidc_provider_mock import User, run_server_in_thread

from moka.jobs.application import spark_application
from moka.pages import UI_PORT
from tests.support import chromium
from tests.support.jobs import make_job, make_job_target
from tests.support.spark_processes import compiled_job, running_job
from tests.support.spark_releases import spark_home
from tests.support.tls_front import tls_front
from tests.support.ui_login import login_by
from tests.support.ui_pages import DOMAIN, RUN, Uis, driver_pod, run_apart

pytestmark = chromium.NEEDED

ADDRESS = "127.44.0.2"
"""Of the driver: UIs of pods are at the same port of different addresses."""

HOST = f"etl.data.{DOMAIN}"
VIEWERS = {"data": ["analysts"], "science": ["scientists"]}
TABS = {
    "/jobs/": "Spark Jobs",
    "/stages/": "Stages for All Jobs",
    "/storage/": "Storage",
    "/environment/": "Environment",
    "/executors/": "Executors",
    "/SQL/": "SQL",
}
"""Path -> what its page is called."""

DETAILS = ("/jobs/job/?id=", "/stages/stage/?id=", "/storage/rdd/?id=", "/SQL/execution/?id=")
"""How addresses of pages begin that these tabs have links to."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A driver whose UI is as a job file makes it."""
    folder = tmp_path_factory.mktemp("driver")
    conf = spark_application(make_job(), make_job_target())["spec"]["sparkConf"]
    of_ui = {key: value for key, value in conf.items() if key.startswith("spark.ui.")}
    few = {"spark.sql.shuffle.partitions": "2"}
    jar = compiled_job(folder, "UiJob")
    with running_job(
        spark_home(), jar, folder, RUN, {**of_ui, **few}, main_class="UiJob", address=ADDRESS
    ) as job:
        job.wait_for_step("ready")
        yield job


@asynccontextmanager
async def gateway(**options):
    uis = Uis(driver_pod(address=ADDRESS), **options)
    uis.ui_port = UI_PORT
    async with uis:
        # It listens once it answers.
        await uis.ask(HOST)
        yield uis


async def tabs_of(tab, base):
    """Opens the page of each tab -> all links of them."""
    links = set()
    for path, title in TABS.items():
        await tab.open(f"{base}{path}")
        assert title in await tab.page.title(), tab.wrong
        links |= set(await tab.links())
    return links


async def details_of(tab, base, links):
    """Opens the newest page of each kind, and asks for what else is linked -> these links, too."""
    opened = {max(link for link in links if link.startswith(f"{base}{start}")) for start in DETAILS}
    for url in sorted(opened):
        await tab.open(url)
        links = links | set(await tab.links())
    for url in sorted(link for link in links - opened if link.startswith(base)):
        if (status := await tab.status(url)) != 200:
            tab.wrong.append(f"{url}: {status}")
    return links


def test_every_page_of_a_live_ui_is_whole_in_a_browser(driver):
    async def play():
        async with gateway(scheme="http") as uis, chromium.tab(http=uis.port) as tab:
            await tab.open(f"http://{HOST}/")
            start = tab.page.url
            links = await details_of(tab, f"http://{HOST}", await tabs_of(tab, f"http://{HOST}"))
            await tab.open(max(link for link in links if "/SQL/execution/" in link))
            plan = await tab.page.locator("#plan-viz-graph g.node").count()
            return SimpleNamespace(start=start, links=links, plan=plan, wrong=tab.wrong)

    seen = run_apart(play())

    assert seen.start == f"http://{HOST}/jobs/"
    assert seen.wrong == []
    # Its graph is drawn by a script.
    assert seen.plan > 1
    assert not any("kill" in link for link in seen.links)


def test_after_a_login_every_page_of_a_live_ui_is_whole_in_a_browser(driver):
    async def play(issuer):
        hosts = (HOST, f"login.{DOMAIN}", f"etl.science.{DOMAIN}")
        async with (
            aiohttp.ClientSession() as session,
            gateway(login=login_by(issuer, session, VIEWERS)) as uis,
            tls_front(hosts, uis.port) as port,
            chromium.tab(https=port) as tab,
        ):
            return await through_login(tab)

    async def through_login(tab):
        await tab.open(f"https://{HOST}/SQL/")
        before = tab.page.url
        await tab.page.click("button[value=ada]")
        await tab.page.wait_for_url(f"https://{HOST}/SQL/", wait_until="networkidle")
        await tabs_of(tab, f"https://{HOST}")
        wrong = list(tab.wrong)
        cookies = await tab.page.context.cookies()
        seen = await tab.page.evaluate("document.cookie")
        await tab.open(f"https://etl.science.{DOMAIN}/")
        return SimpleNamespace(
            before=before,
            wrong=wrong,
            hosts={cookie["domain"] for cookie in cookies if cookie["name"].startswith("__Host-")},
            script=seen,
            other=await tab.page.inner_text("body"),
        )

    ada = User(sub="ada", claims={"name": "Ada", "groups": ["analysts"]})
    with run_server_in_thread(user_claims=[ada]) as server:
        issuer = f"http://localhost:{server.server_port}"
        seen = run_apart(play(issuer))

    assert seen.before.startswith(f"{issuer}/oauth2/authorize")
    assert seen.wrong == []
    assert seen.hosts == {HOST, f"login.{DOMAIN}"}
    assert "__Host-" not in seen.script
    assert seen.other == "jobs of science are not shown to you\n"
