"""Where the gateway to UIs may connect to: what it leads to, AWS, the API server and the issuer of logins."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import pulumi_kubernetes as k8s

from moka.components.kubernetes.egress import anywhere, names, pod_identity, to
from moka.components.kubernetes.job_network import HTTPS_PORT
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.service import service_labels
from moka.names import UI_GATEWAY
from moka.pages import UI_PORT


def way_out(
    job_namespaces: Sequence[str], pages: Mapping[str, str], issuer_port: int | None = None
) -> k8s.networking.v1.NetworkPolicySpecArgs:
    """A tenant writes what its driver answers: no answer may lead the gateway anywhere else.

    pages: `<host>[/path]` -> URL of its server, `http://<service>.<namespace>:<port>`.
    issuer_port: of the issuer of logins, if there is one.
    """
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=service_labels(UI_GATEWAY)),
        policy_types=["Egress"],
        egress=[
            names(),
            # The API server, S3, Secrets Manager and the issuer: their addresses are not known here.
            anywhere({HTTPS_PORT, issuer_port or HTTPS_PORT}),
            pod_identity(),
            to([peer(name, {"spark-role": "driver"}) for name in sorted(job_namespaces)], [UI_PORT]),
            *(to([peer(namespace)], ports) for namespace, ports in _servers(pages).items()),
        ],
    )


def _servers(pages: Mapping[str, str]) -> dict[str, list[int]]:
    """Namespace -> ports of the servers of pages there."""
    ports: dict[str, set[int]] = {}
    for url in pages.values():
        parts = urlsplit(url)
        namespace = (parts.hostname or "").split(".")[1]
        ports.setdefault(namespace, set()).add(parts.port or 80)
    return {namespace: sorted(ports[namespace]) for namespace in sorted(ports)}
