"""The gateway as a process of its own: its secret in moto's Secrets Manager, its issuer on loopback."""

import asyncio
import base64
import json
import os
import subprocess
import sys

import aiohttp
import boto3
import pytest
import trustme

from localcloud.loopback import free_port
from tests.support.moto_server import moto_server
from tests.support.oidc_issuer import OidcIssuer
from tests.support.ui_pages import DOMAIN, run_apart

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
SECRET = {"client_secret": "s", "session_keys": [base64.b64encode(bytes(32)).decode()]}


@pytest.fixture
def environment(tmp_path):
    """Of a pod, whose API server does not answer; AWS is moto."""
    for name, text in {"token": "x", "namespace": "ingress"}.items():
        (tmp_path / name).write_text(text)
    trustme.CA().cert_pem.write_to_path(tmp_path / "ca.crt")
    credentials = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    with moto_server() as endpoint:
        manager = boto3.client("secretsmanager", endpoint_url=endpoint, **credentials)
        manager.create_secret(Name="login", SecretString=json.dumps(SECRET))
        yield {
            **os.environ,
            **KEYS,
            "AWS_ENDPOINT_URL": endpoint,
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": "1",
        }


async def asked(url, host):
    headers = {"Host": host, "Accept": "text/html"}
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(url, headers=headers, allow_redirects=False) as answer:
                    # Its secret is read soon after its start.
                    if answer.status != 503:
                        return answer.status, answer.headers.get("Location", "")
            except aiohttp.ClientConnectorError:
                pass
            await asyncio.sleep(0.05)


def test_it_reads_its_secret_and_leads_to_the_issuer(environment, tmp_path):
    async def play():
        async with OidcIssuer({"moka": "s"}, {}) as issuer:
            port = free_port()
            arguments = {
                "cluster": "spark-a",
                "domain": DOMAIN,
                "history": "https://history.spark.example",
                "history-days": "30",
                "bucket": "acme-event-logs",
                "region": "us-east-1",
                "listen": f"127.0.0.1:{port}",
                "service-account": str(tmp_path),
                "namespace": "data",
                "issuer": issuer.url,
                "client-id": "moka",
                "secret-name": "login",
                "secret-region": "us-east-1",
            }
            options = [f"--{name}={value}" for name, value in arguments.items()]
            process = subprocess.Popen(
                [sys.executable, "-m", "services.ui_gateway", *options], env=environment
            )
            try:
                url = f"http://127.0.0.1:{port}"
                page = await asked(f"{url}/jobs/", f"etl.data.{DOMAIN}")
                return page, await asked(f"{url}/start", f"login.{DOMAIN}"), issuer.url
            finally:
                process.terminate()
                process.wait()

    page, start, issuer = run_apart(play())

    assert page[0] == 302
    assert page[1].startswith(f"https://login.{DOMAIN}/start?to=https%3A%2F%2Fetl.data.{DOMAIN}%2Fjobs%2F")
    assert start[0] == 302
    assert start[1].startswith(f"{issuer}/authorize?response_type=code&client_id=moka")
