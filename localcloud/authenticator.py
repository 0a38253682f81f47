"""`python -m localcloud.authenticator`: who enters an API server, and what access policies allow.

A process per control plane, which the API server asks, as EKS's asks EKS: by a webhook for tokens, and by one
for requests, beside RBAC. It reads access entries where the plugin keeps them, and `aws-auth` where the
cluster goes by it, at every question, so that a change takes effect as soon as the API server asks again.
"""

import argparse
import json
import signal
import ssl
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aws_rules.access.authorization import allowing_policy, reason
from aws_rules.access.config_map import CREATOR, MODES, NAME, NAMESPACE, mapped
from aws_rules.access.identity import PRINCIPAL, session_arn, user
from localcloud import sts_tokens
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.credentials import Credentials, Principal
from localcloud.store import stores

Answer = dict[str, Any]


@dataclass(frozen=True)
class Authenticator:
    """Answers the questions of one cluster's API server.

    credentials: of its control plane, which say whose a token is.
    """

    cloud: Cloud
    cluster: str
    credentials: Credentials

    def token_review(self, review: Mapping[str, Any]) -> Answer:
        """Status of a TokenReview: who its access entry, or `aws-auth`, makes a principal, if it is there."""
        token = review["spec"]["token"]
        principal = self.credentials.principal(token) or self._signer(token)
        entry = self._entry(principal.arn) if principal else None
        if principal is None or entry is None:
            return {"authenticated": False}
        user_info = user(entry, principal.session)
        return {
            "authenticated": True,
            "user": {"username": user_info.name, "groups": list(user_info.groups), "extra": user_info.extra},
        }

    def access_review(self, review: Mapping[str, Any]) -> Answer:
        """Status of a SubjectAccessReview: allowed by an access policy, or no opinion."""
        [principal] = (review["spec"].get("extra") or {}).get(PRINCIPAL) or [""]
        policy = allowing_policy(self._policies(principal), review["spec"]) if principal else None
        if policy is None:
            return {"allowed": False}
        return {"allowed": True, "reason": reason(principal, policy)}

    def _signer(self, token: str) -> Principal | None:
        """Who signed a token of EKS, if an access entry is theirs: STS does not tell the path of a role."""
        server = AwsServer(self.cloud)
        arn = sts_tokens.caller(token, self.cluster, server.url) if server.has_url() else None
        session = arn.rpartition("/")[2] if arn and ":assumed-role/" in arn else ""
        entries = (
            entry for store in stores(self.cloud, "eks") for entry in store.all("access-entry", self.cluster)
        )
        principals = (str(entry["principalArn"]) for entry in entries)
        return next(
            (
                Principal(principal, session)
                for principal in principals
                if session_arn(principal, session) == arn
            ),
            None,
        )

    def _entry(self, principal: str) -> Mapping[str, Any] | None:
        """An access entry has precedence over `aws-auth`.

        https://docs.aws.amazon.com/eks/latest/userguide/migrating-access-entries.html
        """
        return self._store_entry("access-entry", self.cluster, principal) or self._config_map_entry(principal)

    def _config_map_entry(self, principal: str) -> Mapping[str, Any] | None:
        """What `aws-auth` makes of a principal, in the members of an access entry."""
        cluster = self._store_entry("cluster", self.cluster) or {}
        if (cluster.get("accessConfig") or {}).get("authenticationMode") not in MODES:
            return None
        bootstrap = self._store_entry("bootstrap", self.cluster) or {}
        if principal == bootstrap.get("creator"):
            return {"principalArn": principal, **CREATOR}
        path = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{NAME}"
        config_map = ControlPlane(self.cloud, self.cluster).api().get(path) or {}
        return mapped(config_map.get("data") or {}, principal)

    def _store_entry(self, *key: str) -> dict[str, Any] | None:
        return next((thing for store in stores(self.cloud, "eks") if (thing := store.get(*key))), None)

    def _policies(self, principal: str) -> list[dict[str, Any]]:
        return [
            policy
            for store in stores(self.cloud, "eks")
            for policy in store.all("policy", self.cluster, principal)
        ]


def handler(authenticator: Authenticator) -> type[BaseHTTPRequestHandler]:
    """Serves an authenticator's answers."""
    answers: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
        "/token": authenticator.token_review,
        "/access": authenticator.access_review,
    }

    class Handler(BaseHTTPRequestHandler):
        # The API server keeps its connections.
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            """Healthy."""
            self._send(200, {})

        def do_POST(self) -> None:
            """A review, with its status."""
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            # The API server adds a query.
            answer = answers.get(self.path.partition("?")[0])
            if answer is None:
                self._send(404, {})
            else:
                about = {name: review[name] for name in ("apiVersion", "kind")}
                self._send(200, {**about, "status": answer(review)})

        def _send(self, status: int, body: Answer) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing: there is a question for every request to the API server."""

    return Handler


def main() -> int:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True, help="of the laptop cloud")
    parser.add_argument("--cluster", required=True)
    parser.add_argument("--credentials", type=Path, required=True, help="folder of the control plane's")
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    credentials = Credentials(options.credentials)
    authenticator = Authenticator(Cloud(options.home), options.cluster, credentials)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), handler(authenticator))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*credentials.serving)
    # The handshake is a thread's, as a client that never begins it must not keep others waiting.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main())
