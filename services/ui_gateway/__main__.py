"""`python -m services.ui_gateway`: the gateway, with a pod's service account and its Pod Identity."""

import argparse
import asyncio
from contextlib import AsyncExitStack
from functools import partial

import boto3
from botocore.config import Config

from moka.names import DRIVER_SELECTOR
from moka.pages import UI_PORT
from services.common import arguments, logs
from services.common.health import handlers, reporting
from services.common.kubernetes import Api
from services.common.metrics import Metrics
from services.common.signals import run_until_signal
from services.common.watch import Watch
from services.ui_gateway import login_options
from services.ui_gateway.answers import History
from services.ui_gateway.drivers import Drivers
from services.ui_gateway.gateway import Gateway, Knowledge, Settings, serve
from services.ui_gateway.hosts import Hosts, pages
from services.ui_gateway.issuer import Issuer
from services.ui_gateway.links import Links
from services.ui_gateway.login import Login
from services.ui_gateway.login_options import LoginOptions, login_session
from services.ui_gateway.lookups import QUESTIONS_A_SECOND, AnswerCache, Rate, application_of
from services.ui_gateway.proxy import Proxy

SERVICE = "ui_gateway"

STALLED_AFTER_SECONDS = 600.0
"""A watch that has not even asked for so long is taken for dead."""


def main() -> None:
    """Run until a signal ends it."""
    parser = arguments.parser(SERVICE, __doc__)
    parser.add_argument("--cluster", required=True, help="name of the cluster in EKS")
    parser.add_argument("--domain", required=True, help="what hosts of this cluster's pages end with")
    parser.add_argument("--namespace", action="append", default=[], help="job namespace (repeatable)")
    parser.add_argument("--page", action="append", default=[], help="<host>[/path]=<URL> (repeatable)")
    parser.add_argument("--scheme", choices=("http", "https"), default="https", help="that people use")
    parser.add_argument("--history", required=True, help="URL of the History Server, as people reach it")
    parser.add_argument("--history-days", type=int, required=True, help="how long event logs are kept")
    parser.add_argument("--bucket", required=True, help="bucket of the event logs, for links to runs")
    parser.add_argument("--region", required=True, help="region of that bucket")
    login_options.add(parser)
    options = parser.parse_args()
    try:
        hosts = Hosts(options.domain, pages(options.page))
        login = login_options.login(options, hosts)
    except ValueError as error:
        parser.error(str(error))
    logs.configure()
    asyncio.run(_run(options, hosts, login))


async def _run(options: argparse.Namespace, hosts: Hosts, login: LoginOptions | None) -> None:
    metrics = Metrics(SERVICE)
    s3 = boto3.client("s3", region_name=options.region, config=Config(connect_timeout=3, read_timeout=5))
    links = Links(s3, options.bucket, options.cluster, metrics)
    drivers = Drivers(links.note)
    rate = Rate(QUESTIONS_A_SECOND)
    settings = Settings(
        hosts=hosts,
        namespaces=frozenset(options.namespace),
        history=History(options.history.rstrip("/")),
        history_days=options.history_days,
        scheme=options.scheme,
        ui_port=UI_PORT,
    )
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(Api(options.service_account))
        proxy = await stack.enter_async_context(Proxy())
        door, tasks = None, []
        if login is not None:
            session = await stack.enter_async_context(login_session())
            secret = login.kept_secret()
            door = Login(login.settings, Issuer(login.client, session), secret, metrics)
            tasks.append(secret.run())
        watches = [Watch(api, name, "pods", DRIVER_SELECTOR, drivers) for name in options.namespace]
        knowledge = Knowledge(
            drivers=drivers,
            applications=AnswerCache(application_of(api), rate),
            links=AnswerCache(links.find, Rate(QUESTIONS_A_SECOND)),
        )
        metrics.gauge("drivers", "Driver pods that are known.", lambda: len(drivers))
        metrics.gauge(
            "watch_idle_seconds", "The longest time without a word on a watch.", partial(_idle, watches)
        )
        own_handlers = {
            **handlers(partial(_stalled, watches), metrics),
            "/ready": reporting(partial(_unready, watches)),
        }
        gateway = Gateway(settings, knowledge, proxy, metrics, own_handlers, door)
        await run_until_signal(
            serve(gateway, options.listen), links.run(), *tasks, *(watch.run() for watch in watches)
        )


def _idle(watches: list[Watch]) -> float:
    return max((watch.idle_seconds for watch in watches), default=0.0)


def _stalled(watches: list[Watch]) -> str | None:
    """Why the process has to be replaced: not for an API server that is away, as drivers are remembered."""
    return "stalled" if _idle(watches) > STALLED_AFTER_SECONDS else None


def _unready(watches: list[Watch]) -> str | None:
    missing = [watch.namespace for watch in watches if not watch.synced]
    return f"drivers of {', '.join(missing)} are not known yet" if missing else None


if __name__ == "__main__":
    main()
