"""AWS in memory: moto's server, a process of its own."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from localcloud.cloud import REGION, REPOSITORY, RUN, Cloud
from localcloud.errors import Refusal
from localcloud.loopback import free_port, port_stays_taken
from localcloud.processes import Process, answers

# Roles are attached to AWS's own policies, which moto has on request only. No MOTO_ACCOUNT_ID: with it there
# would be one account, whatever role is taken.
_ENVIRONMENT = {"MOTO_IAM_LOAD_MANAGED_POLICIES": "true"}


@dataclass(frozen=True)
class AwsServer:
    """moto's server of one laptop cloud. All it has is in its memory, and gone when it ends."""

    cloud: Cloud

    @property
    def process(self) -> Process:
        """The server's process; its log has every request."""
        return Process(self.cloud.aws, "moto")

    def has_url(self) -> bool:
        """Whether it has a URL: whether it was ever started."""
        return self._url_file.is_file()

    @property
    def url(self) -> str:
        """`AWS_ENDPOINT_URL`. Raises Refusal when the server was never started."""
        if not self.has_url():
            raise Refusal(f"The laptop's AWS was never started here: run `{RUN} up`, which starts it.")
        return self._url_file.read_text().strip()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables by which a program meets this AWS, and no real account."""
        return {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            **({"AWS_ENDPOINT_URL": self.url} if self.has_url() else {}),
        }

    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.alive()

    def start(self) -> None:
        """Start it unless it runs, on its previous port if that is still free."""
        self.cloud.aws.mkdir(parents=True, exist_ok=True)
        if not self.alive():
            self._url_file.write_text(f"http://127.0.0.1:{self._port()}\n")
        port = self.url.rsplit(":", 1)[1]
        command = [sys.executable, "-m", "localcloud.moto_server", "-H", "127.0.0.1", "-p", port]
        environment = {
            **_ENVIRONMENT,
            "PYTHONPATH": str(REPOSITORY),
            "MOKA_CLOUD": str(self.cloud.home),
        }
        self.process.start(command, environment, partial(answers, f"{self.url}/moto-api/"))

    def stop(self) -> None:
        """End it; all it has is lost."""
        self.process.stop()

    @property
    def _url_file(self) -> Path:
        return self.cloud.aws / "url"

    def _port(self) -> int:
        previous = int(self.url.rsplit(":", 1)[1]) if self.has_url() else None
        return previous if previous and not port_stays_taken(previous) else free_port()
