"""Archer's programs as processes of their own; who sends proves it by an issuer's tokens."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
from joserfc import jwt

from localcloud.cloud import REPOSITORY
from localcloud.loopback import free_port
from services.archer.database.address import Address
from tests.support.oidc_issuer import KEYS

AUDIENCE = "archer"
USER = "loader"
RIGHTS = [{"who": f"user:{USER}", "may": ["submit", "see", "stop", "operate"]}]
PATIENCE_SECONDS = 120
MODULES = {"worker": "tests.support.archer_worker"}


def token(issuer: str) -> str:
    """A token for Archer that is good for a day, signed as the issuer of this URL signs."""
    now = int(time.time())
    claims = {
        "iss": issuer,
        "aud": AUDIENCE,
        "sub": USER,
        "iat": now,
        "exp": now + 86_400,
        "preferred_username": USER,
        "groups": ["loaders"],
    }
    return jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, KEYS[0])


def url_of(address: Address) -> str:
    """A database's URL as the configuration has it."""
    if address.host.startswith("/"):
        return f"postgresql:///{address.database}?host={address.host}&sslmode=disable"
    return f"postgresql://{address.user}@{address.host}:{address.port}/{address.database}?sslmode=disable"


class Program:
    """A program of Archer's that runs.

    url: of its port, that of the API or of its health. log: what it prints.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.log = log

    async def ready(self, path: str) -> None:
        """Wait until it answers 200."""
        async with asyncio.timeout(PATIENCE_SECONDS), aiohttp.ClientSession() as session:
            while True:
                if self.process.poll() is not None:
                    raise RuntimeError(f"it ended: {self.log.read_text()[-2000:]}")
                try:
                    async with session.get(f"{self.url}{path}") as answer:
                        if answer.status == 200:
                            return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.05)

    def kill(self) -> None:
        """End it as a lost machine does."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """Have it end by itself, or at last without being asked."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()


class Archer:
    """Starts programs with one configuration; all end with the context.

    Workers enter clusters as a service account, in place of a role of AWS (tests/support/archer_worker.py).

    folder: for configuration and logs. account: folder of a service account. changes: of the configuration.
    """

    def __init__(
        self,
        folder: Path,
        address: Address,
        issuer: str,
        account: Path | None = None,
        server: str = "https://127.0.0.1:1",
        clusters: Sequence[str] = (),
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = folder
        self.programs: list[Program] = []
        self._account = account or folder
        self._address = address
        self._server = server
        self._configuration = {
            "environment": "test",
            "rights": RIGHTS,
            "authentication": {"oidc": {"issuer": issuer, "audience": AUDIENCE}},
            "rate": {"a_second": 100_000, "at_once": 100_000},
            "clusters": {name: {"eks": name, "region": "us-east-1", "role": ""} for name in clusters},
            "database": {"url": url_of(address)},
            **(changes or {}),
        }

    def __enter__(self) -> "Archer":
        return self

    def __exit__(self, *_: object) -> None:
        for program in self.programs:
            if program.process.poll() is None:
                program.kill()

    def database_at(self, port: int) -> Address:
        """The database by another port."""
        return replace(self._address, port=port)

    def start(
        self,
        program: str,
        port: int | None = None,
        server: str | None = None,
        database: Address | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Program:
        """Start a program, by default on a port that is free.

        server, database: the way to them, if it is another. environment: more of it.
        """
        number = len(self.programs)
        configuration = dict(self._configuration)
        if database:
            configuration["database"] = {"url": url_of(database)}
        file = self.folder / f"archer-{number}.json"
        file.write_text(json.dumps(configuration))
        port = port or free_port()
        host, _, api_port = (server or self._server).removeprefix("https://").rpartition(":")
        log = self.folder / f"{program}-{number}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", MODULES.get(program, "services.archer"), program),
                    *(f"--configuration={file}", f"--listen=127.0.0.1:{port}"),
                    f"--service-account={self._account}",
                ],
                env={
                    **os.environ,
                    "PYTHONPATH": str(REPOSITORY),
                    "KUBERNETES_SERVICE_HOST": host,
                    "KUBERNETES_SERVICE_PORT": api_port,
                    **(environment or {}),
                },
                stdout=out,
                stderr=out,
            )
        self.programs.append(Program(process, f"http://127.0.0.1:{port}", log))
        return self.programs[-1]

    async def kept(self) -> None:
        """Start the keeper, and wait until the schema is there."""
        await self.start("keeper").ready("/readyz")

    async def serving(self, port: int | None = None, **options: Any) -> Program:
        """A service that is ready."""
        program = self.start("service", port, **options)
        await program.ready("/readyz")
        return program
