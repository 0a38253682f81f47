"""Changes to an environment's settings by chance: one value, one entry, other machines."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import yaml

from stacks.settings import InvalidDocument, parse

Settings = dict[str, Any]
"""What a settings file says."""

CLUSTER = "clusters.spark-a"
GROUPS = f"{CLUSTER}.node_groups"
NETWORK = "foundations.main.network"
QUEUES = "queues.organizations"

VALUES: dict[str, tuple[Any, ...]] = {
    "tags.cost-center": (None, "100", "200"),
    "retention.event_logs": (None, 10, 60),
    "retention.job_logs": (None, 30, 365),
    "retention.staging": (None, 3, 14),
    "retention.control_plane_logs": (None, 30, 180),
    "retention.flow_logs": (None, 7, 90),
    "logs.outage_hours": (None, 2, 6),
    "logs.kib_per_second": (None, 256, 1024),
    "spark.event_logs.seconds": (None, 5, 30),
    "spark.operators.spark-operator.applications_per_minute": (None, 10, 40),
    "history.interval_seconds": (None, 120, 600),
    "history.jobs_per_day": (None, 1000, 50000),
    "history.heap_gib": (4, 6),
    "metrics.store.days": (None, 7, 30),
    "metrics.shards": (None, 1, 2),
    "metrics.gateways": (None, 2, 3),
    "metrics.own_grafana": (None, True),
    "ingress.controller": (None, "ingress-nginx"),
    "ingress.networks": (None, ["10.250.0.0/16"], ["10.250.0.0/16", "10.251.0.0/16"]),
    f"{NETWORK}.transit_gateway.cidrs": (["10.250.0.0/16"], ["10.250.0.0/16", "10.251.0.0/16"]),
    f"{NETWORK}.nat": ("single", "zonal"),
    f"{NETWORK}.interface_endpoints": (None, False),
    "foundations.main.api_access.cidrs": (None, ["10.250.32.0/20"]),
    f"{CLUSTER}.zonal_shift": (None, False),
    f"{CLUSTER}.support": (None, "extended"),
    f"{CLUSTER}.control_plane_logs.types": (None, ["api", "audit"], ["audit"]),
    f"{CLUSTER}.control_plane_tier": (None, "tier-xl"),
    f"{CLUSTER}.executor_zone": (None, "any"),
    f"{CLUSTER}.shuffle.workers": (3, 4),
    f"{CLUSTER}.shuffle.drain_hours": (None, 2),
    f"{GROUPS}.system.maximum": (4, 5),
    f"{GROUPS}.executor-arm64.maximum": (8, 6, 12),
    f"{GROUPS}.executor-arm64.minimum": (0, 1),
    f"{GROUPS}.executor-amd64.maximum": (8, 4),
    f"{GROUPS}.executor-amd64.labels": (None, {"team": "reports"}, {"team": "models"}),
    f"{GROUPS}.driver-amd64.maximum": (4, 3),
    f"{QUEUES}.analytics.maximum.percent": (75, 50, 90),
    f"{QUEUES}.analytics.projects.reports.tiers.2.max_applications": (20, 5, 40),
    f"{QUEUES}.analytics.projects.reports.tiers.1.guaranteed": (
        {"cpu": "16", "memory": "128Gi"}, {"cpu": "8", "memory": "64Gi"},
    ),
    f"{QUEUES}.science.projects.models.tiers.2.weight": (4, 2, 1),
    "queues.tiers.2.preemption": (None, "fence", "disabled"),
    "job_namespaces.spark-jobs.isolated": (None, False),
    "job_namespaces.spark-jobs.pod_security": (None, "privileged"),
    "job_namespaces.spark-jobs.quota.pods": (None, 100),
    "job_namespaces.spark-jobs.archer_only": (None, True),
    "job_namespaces.spark-jobs.peer_ports": (None, "any"),
    "spark.celeborn.clients": (None, ["4.1"]),
    "archer.weights": (None, {"analytics.reports": 4}, {"analytics.reports": 2, "science.models": 3}),
    "archer.rate.a_second": (None, 20, 100),
    "archer.service.replicas": (1, 2),
    "archer.worker.memory_mib": (None, 512, 768),
    "retention.jobs": (None, 30, 180),
    "database.instances": (1, 2),
    "database.backup_days": (1, 7),
    "database.minimum_capacity": (None, 0, 2),
    "database.maximum_capacity": (None, 4, 16),
    "charts.values.yunikorn": (None, {"resources": {"requests": {"memory": "2Gi"}}}),
}  # fmt: skip
"""Place of a value -> what it may be; None is nothing written."""

ENTRIES: dict[str, Any] = {
    "tags.team": "data",
    "job_namespaces.reports": {},
    "job_namespaces.models": {"quota": {"pods": 50, "applications": 10}},
    "job_namespaces.reports-egress": {"egress": {"database": {"ports": [5432], "cidrs": ["10.9.0.0/24"]}}},
    f"{QUEUES}.analytics.projects.adhoc": {
        "tiers": {2: {"maximum": {"cpu": "16", "memory": "128Gi"}}}
    },
    f"{QUEUES}.science.projects.vision": {"weight": 1, "tiers": {3: {"maximum": {"cpu": "8"}}}},
    f"{QUEUES}.finance": {
        "maximum": {"percent": 10}, "projects": {"close": {"tiers": {1: {"maximum": {"cpu": "8"}}}}},
    },
    f"{GROUPS}.executor-large": {
        "role": "executor", "architecture": "arm64", "instance_types": ["r7g.8xlarge", "r6g.8xlarge"],
        "spot": True, "minimum": 0, "maximum": 2, "disk": {"gib": 400, "mibps": 250},
    },
    f"{GROUPS}.driver-large": {
        "role": "driver", "architecture": "amd64", "instance_types": ["r6i.4xlarge"], "minimum": 1,
        "maximum": 3, "zones": ["us-east-1a"],
        "schedule": {
            "night": {"cron": "0 20 * * *", "minimum": 2}, "day": {"cron": "0 6 * * *", "minimum": 1},
        },
    },
    f"{GROUPS}.executor-amd64.schedule": {
        "morning": {"cron": "0 6 * * *", "minimum": 2, "maximum": 4},
        "evening": {"cron": "0 18 * * *", "minimum": 0, "maximum": 2},
    },
    "services.allocator": {
        "image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/moka-local/allocator:1.0.0",
    },
    "services.queue_keeper": {
        "image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/moka-local/queue-keeper:1.0.0",
    },
    "services.usage_recorder": {
        "image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/moka-local/usage-recorder:1.0.0",
    },
    f"{CLUSTER}.access.analysts": {
        "principal": "arn:aws:iam::123456789012:role/analysts", "jobs": "view",
    },
    f"{CLUSTER}.access.auditors": {
        "principal": "arn:aws:iam::123456789012:role/auditors", "policy": "view",
    },
    "archer.rights.analysts": {
        "who": ["group:analysts"], "may": ["submit", "see"], "organization": "analytics",
    },
    "registry.pull_through": {"public.ecr.aws": {}},
    "grants.dev": {"environment": "dev", "account": "123456789012", "data": ["event-logs"]},
    "clusters.spark-b": {
        "foundation": "main", "version": "1.35", "profile": "adhoc",
        "node_groups": {
            "system": {
                "role": "system", "architecture": "arm64", "instance_types": ["m7g.2xlarge"], "minimum": 2,
                "maximum": 3,
            },
            "driver": {
                "role": "driver", "architecture": "arm64", "instance_types": ["r7g.2xlarge"], "minimum": 1,
                "maximum": 3,
            },
            "executor": {
                "role": "executor", "architecture": "arm64", "instance_types": ["r7g.4xlarge"], "minimum": 0,
                "maximum": 12, "disk": {"gib": 200},
            },
        },
    },
}  # fmt: skip
"""Place of an entry -> what it says; it is there or not."""

TOGETHER: dict[str, dict[str, Any]] = {
    "a lake": {
        "uses.lake": {"bucket": "acme-lake", "prefixes": ["orders/"]},
        "job_namespaces.lake": {"uses": {"lake": "write"}},
    },
    "tables": {
        "uses.warehouse": {"bucket": "acme-warehouse"},
        "metastores.company": {
            "thrift": {"addresses": ["thrift://hive.example:9083"], "cidrs": ["10.9.0.0/24"]},
            "warehouse": "s3a://acme-warehouse/tables/",
        },
        "job_namespaces.tables": {"uses": {"warehouse": "read"}, "metastore": "company"},
    },
    "a namespace apart": {
        "job_namespaces.payroll": {"own_key": True},
        f"{GROUPS}.payroll-driver": {
            "role": "driver", "job_namespace": "payroll", "architecture": "arm64",
            "instance_types": ["r7g.2xlarge"], "minimum": 1, "maximum": 3,
        },
        f"{GROUPS}.payroll-executor": {
            "role": "executor", "job_namespace": "payroll", "architecture": "arm64",
            "instance_types": ["r7gd.4xlarge"], "minimum": 0, "maximum": 2,
        },
    },
}  # fmt: skip
"""Words -> entries that only make sense together, by their places."""

MACHINES: dict[str, tuple[list[str], ...]] = {
    f"{GROUPS}.executor-amd64": (["r6i.4xlarge", "r5.4xlarge"], ["r7i.4xlarge", "r6i.4xlarge"]),
    f"{GROUPS}.driver-arm64": (["r7g.2xlarge"], ["r8g.2xlarge"]),
}
"""Place of a node group -> machines that it may have; others are its next generation."""

Change = Callable[[Settings, str, Random], str | None]
"""Makes a change at a place, and says it in words; None where nothing changed."""


@dataclass(frozen=True)
class Step:
    """A change, in words, and the settings after it."""

    change: str
    settings: Settings


def walk(settings: Settings, seed: int) -> Iterator[Step]:
    """Legal changes, one after the other, for ever; the same for the same seed."""
    random = Random(seed)
    while True:
        step = _change(deepcopy(settings), random)
        if step and legal(step.settings):
            settings = step.settings
            yield step


def steps(settings: Settings, seed: int, count: int) -> list[Step]:
    """The first so many."""
    return list(islice(walk(settings, seed), count))


def legal(settings: Settings) -> bool:
    """Whether the settings are taken."""
    try:
        parse(yaml.safe_dump(settings), "a walk", settings["environment"])
    except InvalidDocument:
        return False
    return True


def _change(settings: Settings, random: Random) -> Step | None:
    kinds: dict[str, Change] = {
        **dict.fromkeys(VALUES, _value),
        **dict.fromkeys(ENTRIES, _entry),
        **dict.fromkeys(TOGETHER, _entries),
        **dict.fromkeys(MACHINES, _machines),
    }
    place = random.choice(list(kinds))
    words = kinds[place](settings, place, random)
    return Step(words, settings) if words else None


def _value(settings: Settings, place: str, random: Random) -> str | None:
    value = random.choice(VALUES[place])
    if value == _at(settings, place):
        return None
    put(settings, place, value)
    return f"{place}: {value}"


def _entry(settings: Settings, place: str, random: Random) -> str:
    there = _at(settings, place) is not None
    put(settings, place, None if there else deepcopy(ENTRIES[place]))
    return f"{place}: {'gone' if there else 'added'}"


def _entries(settings: Settings, words: str, random: Random) -> str:
    entries = TOGETHER[words]
    there = all(_at(settings, place) is not None for place in entries)
    for place, entry in entries.items():
        put(settings, place, None if there else deepcopy(entry))
    return f"{words}: {'gone' if there else 'added'}"


def _machines(settings: Settings, place: str, random: Random) -> str:
    """The next generation, or the end of the one before."""
    group = _at(settings, place)
    if group.pop("retiring", None):
        return f"{place}: without its generation before"
    before, types = group.get("generation", 1), group["instance_types"]
    others = [other for other in MACHINES[place] if other != types]
    group |= {
        "instance_types": random.choice(others),
        "generation": before + 1,
        "retiring": {str(before): {"instance_types": types}},
    }
    return f"{place}: generation {before + 1}"


def _at(settings: Mapping[Any, Any], place: str) -> Any:
    here: Any = settings
    for key in _keys(place):
        if not isinstance(here, Mapping) or key not in here:
            return None
        here = here[key]
    return here


def put(settings: Settings, place: str, value: Any) -> None:
    """Set a value at a place, or an entry; None takes away what is there."""
    *path, last = _keys(place)
    here: dict[Any, Any] = settings
    for key in path:
        if value is None and key not in here:
            return
        here = here.setdefault(key, {})
    if value is None:
        here.pop(last, None)
    else:
        here[last] = value


def _keys(place: str) -> list[Any]:
    return [int(key) if key.isdigit() else key for key in place.split(".")]
