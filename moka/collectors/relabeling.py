"""Rules of Prometheus that choose and label targets and series.

https://prometheus.io/docs/prometheus/latest/configuration/configuration/#relabel_config. A collector expands
what begins with `$` in its configuration, so every `$` of a rule is written twice.
"""

from collections.abc import Iterable
from typing import Any, Literal

Rule = dict[str, Any]

NAME = "__name__"
PHASE = "__meta_kubernetes_pod_phase"
PORT_NAME = "__meta_kubernetes_pod_container_port_name"
IP = "__meta_kubernetes_pod_ip"


def pod_label(key: str) -> str:
    """Source label that has a label of a pod."""
    return f"__meta_kubernetes_pod_label_{_plain(key)}"


def annotation(of: Literal["pod", "service"], key: str) -> str:
    """Source label that has an annotation."""
    return f"__meta_kubernetes_{of}_annotation_{_plain(key)}"


def _plain(key: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in key)


def keep(regex: str, *sources: str) -> Rule:
    """Only what has these values, joined by semicolons."""
    return {"source_labels": list(sources), "regex": regex, "action": "keep"}


def drop(regex: str, *sources: str) -> Rule:
    """All but what has these values."""
    return {"source_labels": list(sources), "regex": regex, "action": "drop"}


def label(target: str, *sources: str, regex: str = "(.+)", to: str = "$1") -> Rule:
    """A label made of others, where they fit."""
    return {
        "source_labels": list(sources),
        "regex": regex,
        "target_label": target,
        "replacement": to.replace("$", "$$"),
    }


def annotated(of: Literal["pod", "service"], address: str) -> list[Rule]:
    """What asks to be scraped by the usual annotations, at the port and path that it names.

    address: source label of an address whose port is replaced.
    """
    return [
        keep("true", annotation(of, "prometheus.io/scrape")),
        label("__metrics_path__", annotation(of, "prometheus.io/path")),
        label(
            "__address__",
            address,
            annotation(of, "prometheus.io/port"),
            regex=r"([^:;]+)(?::\d+)?;(\d+)",
            to="$1:$2",
        ),
    ]


def of_shard(shards: int) -> list[Rule]:
    """Only the targets of the shard in the environment: each target is of one, whatever finds it."""
    return [
        {
            "source_labels": ["__address__"],
            "modulus": shards,
            "target_label": "__tmp_shard",
            "action": "hashmod",
        },
        keep("${env:SHARD}", "__tmp_shard"),
    ]


def any_of(values: Iterable[str]) -> str:
    """A pattern of exactly these."""
    return "|".join(sorted(values))
