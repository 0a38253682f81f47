"""The laptop's settings with a second cluster, in another account and region."""

from typing import Any

import yaml

from stacks import settings
from stacks.settings import Environment

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
OTHER = "210987654321"
"""The other account; its foundation is called `away`, and its cluster `spark-b`."""


AWAY_CIDR = "10.1.0.0/16"


def in_two_accounts(**changes: Any) -> Environment:
    main = LOCAL["foundations"]["main"]
    away = main | {
        "account": OTHER,
        "region": "us-west-2",
        "deployer": f"arn:aws:iam::{OTHER}:role/deployer",
        "assume": True,
        "network": _routed(main["network"], main["network"]["cidr"])
        | {"cidr": AWAY_CIDR, "zones": ["us-west-2a", "us-west-2b", "us-west-2c"]},
    }
    foundations = {"main": main | {"network": _routed(main["network"], AWAY_CIDR)}, "away": away}
    clusters = LOCAL["clusters"] | {"spark-b": LOCAL["clusters"]["spark-a"] | {"foundation": "away"}}
    text = yaml.safe_dump(LOCAL | {"foundations": foundations, "clusters": clusters} | changes)
    return settings.parse(text, "stacks/local.yaml")


def _routed(network: dict[str, Any], cidr: str) -> dict[str, Any]:
    """A network whose transit gateway leads to another, too."""
    gateway = network["transit_gateway"]
    return network | {"transit_gateway": gateway | {"cidrs": [*gateway["cidrs"], cidr]}}
