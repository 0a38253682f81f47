"""The service as a program."""

import asyncio
import ssl
from typing import Any

import aiohttp
import boto3
import uvicorn
from fastapi import FastAPI

from moka.names import ARCHER
from moka.submission.configuration import Configuration, Tls
from services.archer.authentication.iam import IamAuthenticator
from services.archer.authentication.oidc import OidcAuthenticator
from services.archer.authentication.proxy import ProxyAuthenticator
from services.archer.authentication.ways import Way, Ways
from services.archer.database.access import service_address
from services.archer.database.pool import pool
from services.archer.service.acceptor import Acceptor
from services.archer.service.app import application
from services.archer.service.changes import Changes
from services.archer.service.context import Context
from services.archer.service.limits import Rates
from services.archer.service.log_store import LogStore
from services.archer.service.protocol import Protocol, connections
from services.archer.service.server import Server
from services.archer.service.surroundings import ClusterDirectory
from services.archer.traces import tracing
from services.common.issuer import IssuerKeys
from services.common.kubernetes import ServiceAccount

KEEP_ALIVE_SECONDS = 120
"""Longer than Traefik's, 90 s: it must not send into a connection that is being closed (traefik/traefik:
pkg/config/dynamic/http_config.go, idleConnTimeout)."""

GRACE_SECONDS = 30
"""For requests that are under way when it is to end."""


async def run(configuration: Configuration, listen: tuple[str, int], _: ServiceAccount) -> None:
    """Serve until a signal ends it."""
    Protocol.most = connections()
    async with (
        pool(service_address(configuration.database), size=16) as database,
        aiohttp.ClientSession() as session,
        tracing(ARCHER, configuration) as spans,
    ):
        context = Context(
            pool=database,
            acceptor=Acceptor(database),
            changes=Changes(database),
            directory=ClusterDirectory(database),
            authenticator=Ways(_ways(configuration, session)),
            policy=configuration.policy,
            rates=Rates(configuration.rate.a_second, configuration.rate.at_once),
            logs=LogStore(configuration.logs),
            history=configuration.history,
            tracing=spans,
        )
        app = application(context)
        server = Server(server_config(app, listen), context.changes)
        if configuration.tls is None:
            await server.serve()
        else:
            await _serve_proxies_too(server, uvicorn.Server(_proxies(app, listen[0], configuration.tls)))


def server_config(app: FastAPI, listen: tuple[str, int], **more: Any) -> uvicorn.Config:
    """How an application is served."""
    host, port = listen
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Protocol,
        ws="none",
        server_header=False,
        backlog=4096,
        access_log=False,
        log_config=None,
        # Who sends is told by credentials, not by an address.
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        **more,
    )


def _proxies(app: FastAPI, host: str, tls: Tls) -> uvicorn.Config:
    """The same application, where only who has a certificate connects; the other one starts what it has."""
    return server_config(
        app,
        (host, tls.port),
        lifespan="off",
        ssl_certfile=tls.certificate,
        ssl_keyfile=tls.key,
        ssl_ca_certs=tls.proxies,
        ssl_cert_reqs=ssl.CERT_REQUIRED,
    )


async def _serve_proxies_too(server: uvicorn.Server, proxies: uvicorn.Server) -> None:
    """Serve both until a signal ends the first."""
    # What is wrong with its certificate is said now.
    proxies.config.load()
    # Only `serve` heeds signals, and only one of them may.
    beside = asyncio.create_task(proxies._serve())
    try:
        await server.serve()
    finally:
        proxies.should_exit = True
        await beside


def _ways(configuration: Configuration, session: aiohttp.ClientSession) -> list[Way]:
    """The ways of proving who sends a request that the environment has."""
    authentication = configuration.authentication
    ways: list[Way] = []
    if authentication.oidc:
        ways.append(OidcAuthenticator(authentication.oidc, IssuerKeys(authentication.oidc.issuer, session)))
    if authentication.proxy:
        ways.append(ProxyAuthenticator(authentication.proxy))
    if authentication.iam:
        endpoint = boto3.client("sts", region_name=authentication.iam.region).meta.endpoint_url
        ways.append(IamAuthenticator(configuration.environment, endpoint, session))
    return ways
