"""A cluster with queues, and plans for it."""

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan import Plan, read
from moka.allocation.plan_bounds import PlanBounds
from moka.queues.calendar import Calendar
from moka.queues.definitions import Queues

ETL1, ETL2, LAB3 = "root.acme.etl.tier1", "root.acme.etl.tier2", "root.ml.lab.tier3"

QUEUES = {
    "organizations": {
        "acme": {
            "maximum": {"percent": 90},
            "projects": {
                "etl": {
                    "tiers": {
                        1: {"guaranteed": {"cpu": "20", "memory": "40Gi"}},
                        2: {
                            "guaranteed": {"cpu": "30", "memory": "60Gi"},
                            "maximum": {"cpu": "60", "memory": "120Gi"},
                        },
                    }
                }
            },
        },
        "ml": {"projects": {"lab": {"tiers": {3: {"guaranteed": {"cpu": "20", "memory": "40Gi"}}}}}},
    }
}

SCHEDULE = {
    "night": {"cron": "0 20 * * *", "maximum": 10},
    "day": {"cron": "0 6 * * *", "maximum": 8},
}


def settings(queues=None, schedule=None, **bounds) -> ClusterSettings:
    """A cluster of ten machines of 10 cores and 20 GiB."""
    group = {"maximum": 10, "cpu": "10", "memory": "20Gi", "changes": schedule or {}}
    calendar = {
        "capacity": {"cpu": "100", "memory": "200Gi"},
        "node_order": "binpacking",
        "node_groups": {"executor": group},
    }
    return ClusterSettings(
        Queues.model_validate(queues or QUEUES),
        Calendar.model_validate(calendar),
        PlanBounds.model_validate(bounds),
    )


def amounts(cpu, memory, jobs=None, **more):
    row = {"guaranteed": {"cpu": cpu, "memory": memory}, **more}
    return row | ({"max_applications": jobs} if jobs else {})


def plan_data(queues, of=None, **changes):
    """A plan of one cluster, `spark-a`, as plain data. queues: path -> hours."""
    cluster = {
        "settings": (of or settings()).digest,
        "queues": {path: {"hours": hours} for path, hours in queues.items()},
    }
    return {
        "format": "moka-plan/1",
        "id": "2026-11-26",
        "made": "2026-11-26T03:00:00Z",
        "by": "allocator",
        "basis": {
            "engine": "percentile",
            "window": {"began": "2026-10-27T00:00:00Z", "ended": "2026-11-26T00:00:00Z"},
        },
        "clusters": {"spark-a": cluster},
        **changes,
    }


def plan(queues, of=None, **changes) -> Plan:
    return read(plan_data(queues, of, **changes), "plan")
