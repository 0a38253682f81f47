"""The Pod Identity agent of a node, on loopback: credentials for the token in a file, and only for it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.http_server import Handler, served

PATH = "/v1/credentials"


@dataclass
class PodIdentityAgent:
    """An agent that answers while its context lasts.

    token_file: whose content it demands.
    lifetime: of the credentials that it gives.
    tokens: that it was asked with, in their order.
    """

    token_file: Path
    lifetime: timedelta = timedelta(hours=6)
    port: int = 0
    tokens: list[str | None] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What EKS puts into every container of a pod."""
        return {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{self.port}{PATH}",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(self.token_file),
        }

    def answer(self, token: str | None) -> tuple[int, str]:
        """Status and body for a request with this token."""
        self.tokens.append(token)
        if token != self.token_file.read_text():
            return 401, "the service account token cannot be empty, or is another one"
        end = datetime.now(UTC) + self.lifetime
        return 200, json.dumps(
            {
                "AccessKeyId": f"ASIA{len(self.tokens):016}",
                "SecretAccessKey": "secret",
                "Token": f"session-{len(self.tokens)}",
                "AccountId": "123456789012",
                "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
        )


@contextmanager
def pod_identity_agent(
    token_file: Path, lifetime: timedelta = timedelta(hours=6)
) -> Iterator[PodIdentityAgent]:
    """An agent that demands what is in the file, which is made where it is not there."""
    if not token_file.exists():
        token_file.write_text("token-of-the-pod")
    agent = PodIdentityAgent(token_file, lifetime)

    class Agent(Handler):
        def do_GET(self) -> None:
            status, text = (
                agent.answer(self.headers["Authorization"]) if self.path == PATH else (404, "no such path")
            )
            self.reply(status, text.encode())

    with served(Agent) as agent.port:
        yield agent
