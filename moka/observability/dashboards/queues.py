"""Queues of YuniKorn: the tiers, and the chosen ones."""

from moka.observability.panel import Dashboard, Panel, Row, Unit, Variable

QUEUES = '{$scope,queue=~"$queue"}'
AMOUNT = 'yunikorn_queue_resource{$scope,queue=~"%s",resource="%s",state="%s"}'
LEAVES = "root[.].+[.]tier[123]"


def _vcores(queue: str, state: str, by: str = "cluster") -> str:
    return f"sum by ({by}) ({AMOUNT % (queue, 'vcore', state)}) / 1000"


def _amounts(title: str, unit: Unit, resource: str, scale: str = "") -> Panel:
    """Of the chosen queues: what they have, and may have."""
    queries = {
        f"{{{{queue}}}} {state}": f"sum by (cluster, queue) ({AMOUNT % ('$queue', resource, state)}){scale}"
        for state in ("allocated", "guaranteed", "max", "pending")
    }
    return Panel(title=title, unit=unit, queries=queries)


def _tier(number: int) -> Row:
    queue = f".+[.]tier{number}"
    return Row(
        title=f"Tier {number}",
        panels=(
            Panel(
                title=f"Cores of tier {number}",
                unit="cores",
                queries={
                    "{{cluster}} allocated": _vcores(queue, "allocated"),
                    "{{cluster}} guaranteed": _vcores(queue, "guaranteed"),
                    "{{cluster}} waited for": _vcores(queue, "pending"),
                },
            ),
            Panel(
                title=f"Applications of tier {number}",
                unit="short",
                queries={
                    "{{cluster}} {{state}}": "sum by (cluster, state) "
                    f'(yunikorn_queue_app{{$scope,queue=~"{queue}",state=~"new|accepted|running"}})'
                },
            ),
            Panel(
                title=f"Longest wait of a job of tier {number}",
                unit="s",
                queries={
                    "{{cluster}} {{queue}}": "max by (cluster, queue) "
                    f'(moka:applications:longest_wait_seconds{{$scope,tier="{number}"}})'
                },
            ),
        ),
    )


SHORT = Row(
    title="Which have too little",
    panels=(
        Panel(
            title="Least of their guarantee",
            unit="percentunit",
            kind="bargauge",
            width=12,
            note="Of queues that have a guarantee: what they use of it. Little is well where nothing waits.",
            queries={
                "{{cluster}} {{queue}}": f"bottomk(10, {_vcores(LEAVES, 'allocated', 'cluster, queue')} / "
                f"({_vcores(LEAVES, 'guaranteed', 'cluster, queue')} > 0))"
            },
        ),
        Panel(
            title="Most cores waited for",
            unit="cores",
            kind="bargauge",
            width=12,
            queries={"{{cluster}} {{queue}}": f"topk(10, {_vcores(LEAVES, 'pending', 'cluster, queue')})"},
        ),
    ),
)

CHOSEN = Row(
    title="The chosen queues",
    panels=(
        _amounts("Cores", "cores", "vcore", " / 1000"),
        _amounts("Memory", "bytes", "memory"),
        Panel(
            title="Applications",
            unit="short",
            queries={
                "{{queue}} {{state}}": "sum by (cluster, queue, state) "
                '(yunikorn_queue_app{$scope,queue=~"$queue"})'
            },
        ),
        Panel(
            title="Cores in use",
            unit="cores",
            queries={"{{queue}}": f"sum by (cluster, queue) (moka:pods:cpu_usage{QUEUES})"},
        ),
        Panel(
            title="Memory in use",
            unit="bytes",
            queries={"{{queue}}": f"sum by (cluster, queue) (moka:pods:memory_bytes{QUEUES})"},
        ),
        Panel(
            title="Tasks that run, and that failed a second",
            unit="short",
            queries={
                "{{queue}} run": f"sum by (cluster, queue) (moka:executors:active_tasks{QUEUES})",
                "{{queue}} failed": f"sum by (cluster, queue) (moka:tasks:failed_rate{QUEUES})",
            },
        ),
    ),
)

DASHBOARD = Dashboard(
    name="queues",
    title="moka / Queues",
    rows=(*(_tier(number) for number in (1, 2, 3)), SHORT, CHOSEN),
    variables=(Variable(label="queue", metric="yunikorn_queue_resource{$scope}"),),
)
