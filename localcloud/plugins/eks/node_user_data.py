"""User data of nodes of Amazon Linux 2023 that join a cluster by themselves.

Source: createNodeadmUserData in nodejs/eks/nodes/userdata.ts of github.com/pulumi/pulumi-eks.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from aws_rules.nodes.templates import API_VERSION, KIND
from aws_rules.nodes.user_data import NODE_CONFIG

BOUNDARY = "BOUNDARY"
SCRIPT = 'text/x-shellscript; charset="us-ascii"'


def user_data(name: str, endpoint: str, authority: str, services: str, arguments: Mapping[str, Any]) -> str:
    """User data for a cluster.

    services: range of its Services. arguments: of eks.NodeGroupV2, those that it is made of.
    """
    if "nodeUserDataOverride" in arguments:
        return str(arguments["nodeUserDataOverride"])
    cluster = {
        "name": name,
        "apiServerEndpoint": endpoint,
        "certificateAuthority": authority,
        "cidr": services,
    }
    parts = [(NODE_CONFIG, _node_config({"cluster": cluster}))]
    if flags := list(kubelet_flags(arguments)):
        parts.append((NODE_CONFIG, _node_config({"kubelet": {"flags": flags}})))
    options = arguments.get("nodeadmExtraOptions") or ()
    parts += [(option["contentType"], option["content"]) for option in options]
    if script := arguments.get("nodeUserData"):
        parts.append((SCRIPT, script))
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{BOUNDARY}"\n\n'
    body = "".join(f"--{BOUNDARY}\nContent-Type: {kind}\n\n{content}\n" for kind, content in parts)
    return f"{head}{body}--{BOUNDARY}--\n"


def kubelet_flags(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Flags of the kubelet: the group's own, then those of its labels and its taints."""
    yield from str(arguments.get("kubeletExtraArgs") or "").split()
    labels, taints = arguments.get("labels") or {}, arguments.get("taints") or {}
    if labels:
        yield "--node-labels=" + ",".join(f"{key}={value}" for key, value in labels.items())
    if taints:
        texts = (
            f"{key}{'=' if taint.get('value') else ''}{taint.get('value') or ''}:{taint['effect']}"
            for key, taint in taints.items()
        )
        yield "--register-with-taints=" + ",".join(texts)


def _node_config(spec: Mapping[str, Any]) -> str:
    config = {"apiVersion": API_VERSION, "kind": KIND, "spec": spec}
    return "---\n" + yaml.safe_dump(config, sort_keys=False, width=float("inf"))
