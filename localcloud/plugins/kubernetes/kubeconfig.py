"""Kubeconfigs: the address of a provider's cluster, and the credentials for it."""

import base64
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from localcloud.credentials import GET_TOKEN_SESSION, principal_of
from localcloud.errors import Refusal

TOKEN_PROGRAMS = {"aws": ("eks", "get-token"), "aws-iam-authenticator": ("token",)}
"""Program that kubeconfigs of EKS run for a token -> its words for that:
https://docs.aws.amazon.com/eks/latest/userguide/create-kubeconfig.html"""

ROLE_OPTIONS = ("--role-arn", "--role", "-r")
"""Options of these programs that name a role to assume."""


@dataclass(frozen=True)
class Access:
    """How to reach one cluster.

    server: URL of the API server.
    authority: certificate authority, PEM; None for those that the system trusts.
    token: bearer token; token_file: a file that holds it.
    namespace: that of the context.
    """

    server: str
    authority: str | None = None
    token: str | None = None
    token_file: Path | None = None
    namespace: str = "default"

    def bearer(self) -> str | None:
        """The token as it is now: its file may be rewritten, or be gone with its cluster."""
        if self.token_file is None:
            return self.token
        return self.token_file.read_text().strip() if self.token_file.exists() else None


def read(text: str | None, environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """A kubeconfig from text, from a path (or several, as in `KUBECONFIG`), or from the environment.

    Raises Refusal where there is none, or where it cannot be read.
    """
    source = text or environ.get("KUBECONFIG", "")
    if not source:
        raise Refusal(
            "The kubernetes provider has no cluster: give it the kubeconfig of a cluster on this laptop."
        )
    if "\n" in source.strip() or source.lstrip().startswith("{"):
        config = _parse(source)
    else:
        config = _merge([Path(name).expanduser() for name in source.strip().split(os.pathsep) if name])
    if not isinstance(config, dict) or "clusters" not in config:
        raise Refusal("The provider's kubeconfig has no clusters: give a kubeconfig's contents or path.")
    return config


def _merge(paths: list[Path]) -> dict[str, Any]:
    """Several kubeconfigs as one; earlier ones have precedence."""
    files = [path for path in paths if path.is_file()]
    if not files:
        raise Refusal(
            f"The provider's kubeconfig names {paths[0]}, and there is no such file: correct the path."
        )
    result: dict[str, Any] = {}
    for path in files:
        config = _parse(path.read_text())
        if not isinstance(config, dict):
            raise Refusal(f"{path} is no kubeconfig: give the path of one.")
        for part in ("clusters", "users", "contexts"):
            result.setdefault(part, []).extend(config.get(part) or [])
        result.setdefault("current-context", config.get("current-context"))
    return result


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        import yaml

        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise Refusal(
                f"The provider's kubeconfig cannot be read: {' '.join(str(error).split())}."
            ) from None


def active_cluster(
    config: Mapping[str, Any], context: str | None, cluster: str | None
) -> dict[str, Any] | None:
    """The entry of the current cluster; None where the kubeconfig has none."""
    return _entry(config, "clusters", cluster or _context(config, context).get("cluster"))


def access(config: Mapping[str, Any], context: str | None = None, cluster: str | None = None) -> Access:
    """How to reach the cluster of a kubeconfig's context.

    Raises Refusal where it has none, or signs in by running a program.
    """
    current = _context(config, context)
    entry = active_cluster(config, context, cluster)
    if entry is None or not entry.get("server"):
        where = f"context {context}" if context else "current context"
        raise Refusal(
            f"The provider's kubeconfig has no cluster for its {where}: name a context that it has."
        )
    user = _entry(config, "users", current.get("user")) or {}
    for program in ("exec", "auth-provider"):
        if program in user:
            raise Refusal(
                f"The provider's kubeconfig signs in by {program}, which the laptop's plugin does not run: "
                "sign in by `aws eks get-token`, or use the kubeconfig that the laptop's eks.Cluster gives."
            )
    file = user.get("tokenFile")
    return Access(
        server=str(entry["server"]).rstrip("/"),
        authority=_authority(entry),
        token=user.get("token"),
        token_file=Path(file) if file else None,
        namespace=current.get("namespace") or "default",
    )


def with_token_files(config: Mapping[str, Any], token_file: Callable[[str], Path]) -> dict[str, Any]:
    """A kubeconfig whose users have a file with a token, where they run a program for a token of EKS.

    token_file: of the role that the program assumes; "" is whose credentials are at hand.
    """
    users = []
    for user in config.get("users") or ():
        role = _role_of_program(user.get("user") or {})
        users.append(user if role is None else {**user, "user": {"tokenFile": str(token_file(role))}})
    return {**config, "users": users}


def _role_of_program(user: Mapping[str, Any]) -> str | None:
    """The role that a user's program for a token of EKS assumes, or ""; None where it runs none."""
    program = user.get("exec") or {}
    words = [str(word) for word in program.get("args") or ()]
    subcommand = TOKEN_PROGRAMS.get(Path(str(program.get("command", ""))).name)
    if subcommand is None or not set(subcommand) <= set(words):
        return None
    options = dict(word.split("=", 1) for word in words if "=" in word) | dict(pairwise(words))
    return next((options[option] for option in ROLE_OPTIONS if option in options), "")


def signed_in(config: Mapping[str, Any], token: Path) -> dict[str, Any]:
    """A kubeconfig whose users have another token, unless theirs is of a role that the kubeconfig names."""
    users = [
        {**user, "user": {**user["user"], "tokenFile": str(token)}} if _at_hand(user["user"]) else user
        for user in config.get("users") or ()
    ]
    return {**config, "users": users}


def _at_hand(user: Mapping[str, Any]) -> bool:
    """Whether a user signs in with whose credentials are at hand."""
    file = user.get("tokenFile")
    principal = principal_of(Path(file).read_text().strip()) if file and Path(file).is_file() else None
    return principal is not None and principal.session != GET_TOKEN_SESSION


def _authority(cluster: Mapping[str, Any]) -> str | None:
    if data := cluster.get("certificate-authority-data"):
        return base64.b64decode(data).decode()
    file = cluster.get("certificate-authority")
    return Path(file).read_text() if file else None


def _context(config: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    return _entry(config, "contexts", name or config.get("current-context")) or {}


def _entry(config: Mapping[str, Any], part: str, name: str | None) -> dict[str, Any] | None:
    """What an entry of a kubeconfig's `clusters`, `users` or `contexts` says; None where there is none."""
    for entry in config.get(part) or []:
        if entry.get("name") == name:
            content: dict[str, Any] | None = entry.get(part.removesuffix("s"))
            return content
    return None
