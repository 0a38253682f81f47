"""A report as a page that needs no other file, and reads on light and on dark ground."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from moka.svg import BLUE, FONT, GREEN, INK, LINE, MUTED, ORANGE
from moka.usage.report import pictures
from moka.usage.report.model import ClusterReport, Cost, Report, WorkflowRuns
from moka.usage.report.pictures import number, tier_name
from moka.usage.report.rules import SAYS
from moka.usage.report.sizes import Amount

SHOWN = 15
"""Rows of a table; the others are folded."""

RESOURCES = {"instances": "Instances", "vcores": "vcores", "memory_gib": "Memory, GiB"}
"""Field of an amount -> its name."""

COLOURS: Mapping[str, tuple[str, str]] = {
    "ink": INK,
    "muted": MUTED,
    "rule": LINE,
    "ground": ("#ffffff", "#0d1117"),
    "soft": ("#f6f8fa", "#151b23"),
    "room": ("#dde2e7", "#2f3742"),
    "tier1": ORANGE,
    "tier2": BLUE,
    "tier3": GREEN,
}
"""On light ground and on dark."""

STYLE = f"""
body {{ font: 14px/1.5 {FONT}; color: var(--ink); background: var(--ground); max-width: 860px;
  margin: 2rem auto; padding: 0 1rem }}
h1 {{ font-size: 22px }} h2 {{ font-size: 18px; border-top: 1px solid var(--rule); padding-top: 1.2rem;
  margin-top: 2.2rem }} h3 {{ font-size: 14px; margin: 1.4rem 0 .4rem }}
p, ul {{ margin: .4rem 0 }} .muted, caption, .small {{ color: var(--muted) }}
table {{ border-collapse: collapse; width: 100%; font-size: 13px }}
th, td {{ text-align: left; padding: 3px 8px 3px 0; border-bottom: 1px solid var(--room);
  vertical-align: top }}
td.n, th.n {{ text-align: right; font-variant-numeric: tabular-nums }}
.n + :not(.n) {{ padding-left: 14px }} .alike th.n {{ width: 20% }}
td:first-child {{ overflow-wrap: anywhere }}
.scroll {{ overflow-x: auto }} svg {{ max-width: 100%; height: auto; display: block }}
.box {{ background: var(--soft); border-left: 3px solid var(--tier1); padding: .5rem .9rem; margin: .6rem 0 }}
.key span {{ margin-right: 1rem }} .key i {{ display: inline-block; width: .8em; height: .8em;
  margin-right: .35em; border-radius: 2px }}
svg text {{ font: 12px {FONT}; fill: var(--ink) }} svg text.small {{ font-size: 11px; fill: var(--muted) }}
.grid {{ stroke: var(--room) }} .limit {{ stroke: var(--ink); stroke-dasharray: 4 3; fill: none }}
.unknown {{ fill: var(--room) }} .room {{ fill: var(--room) }}
.tier0 {{ fill: var(--muted); background: var(--muted) }}
.tier1 {{ fill: var(--tier1); background: var(--tier1) }}
.tier2 {{ fill: var(--tier2); background: var(--tier2) }}
.tier3 {{ fill: var(--tier3); background: var(--tier3) }}
.binds {{ fill: var(--tier1) }} .free {{ fill: var(--tier2) }}
summary {{ cursor: pointer; color: var(--muted); margin: .4rem 0 }}
"""


def as_page(report: Report) -> str:
    """The page."""
    title = f"Usage of {report.environment}, {report.day}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_colours()}{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(_body(title, report))
        + "\n</main>\n</body>\n</html>\n"
    )


def _colours() -> str:
    light, dark = (
        "; ".join(f"--{name}: {pair[index]}" for name, pair in COLOURS.items()) for index in (0, 1)
    )
    return (
        f"\n:root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    )


def _body(title: str, report: Report) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    yield f'<p class="muted">A day in UTC, as it was known at {escape(report.made)}.</p>'
    yield from _sentences(report.says)
    yield _overview(report)
    if report.slos:
        yield "<h2>Workflows of all clusters that kept to their SLOs</h2>"
        yield pictures.slos(report.slos, report.rules.workflows)
    changes = [(cluster.name, advice) for cluster in report.clusters for advice in cluster.recommendations]
    yield f"<h2>To change: {len(changes) or 'nothing'}</h2>"
    rows = [
        (f"{name}: {advice.name}" if advice.of == "queue" else name, _action(advice), advice.says)
        for name, advice in changes
    ]
    yield from _long_table(("of", "what", "why"), rows)
    for cluster in report.clusters:
        yield from _cluster(cluster, report)
    yield from _rules(report)


def _action(advice: object) -> str:
    action, machines, into = (getattr(advice, name) for name in ("action", "machines", "into"))
    return f"split into {into}" if action == "split" else f"{action} by {machines:,}"


def _overview(report: Report) -> str:
    rows = []
    for cluster in report.clusters:
        met = [f"{tier_name(tier.tier)} {tier.share:.0%}" for tier in cluster.slos if tier.share is not None]
        rows.append(
            (
                f'<a href="#{escape(cluster.name)}">{escape(cluster.name)}</a>',
                _share(cluster.use.share),
                _share(cluster.use.peak_share),
                ", ".join(met) or "-",
                _usd(cluster.cost.usd),
            )
        )
    head = ("cluster", "#of capacity", "#busiest hour", "workflows within SLO", "#cost of use")
    return "".join(_table(head, rows, raw=1))


def _cluster(cluster: ClusterReport, report: Report) -> Iterator[str]:
    name = escape(cluster.name)
    yield f'<section aria-labelledby="{name}">\n<h2 id="{name}">{name}</h2>'
    yield from _sentences(cluster.says)
    yield from _sentences(f"From {gap.began} to {gap.ended}: {gap.says}" for gap in cluster.unknown)
    if cluster.use.busiest is not None:
        used = f"{number(cluster.use.hours.instances)} machine-hours of {escape(cluster.machine)}"
        yield (
            f"<p>{used}, {number(cluster.use.hours.vcores)} vcore-hours, "
            f"{number(cluster.use.hours.memory_gib)} GiB-hours; {_share(cluster.use.share)} "
            "of the capacity.</p>"
        )
        yield _key(cluster)
        for field, title in RESOURCES.items():
            yield f"<h3>{title} in use, by hour (UTC)</h3>"
            capacity = getattr(cluster.capacity, field) if cluster.capacity else None
            yield pictures.hours(cluster.use, field, capacity, title)
        yield _fold("The same as numbers", _table(*_hours(cluster)))
    if cluster.balance:
        yield "<h3>Balance of vcores and memory</h3>"
        yield pictures.evenness(cluster.balance, cluster.use) + f"<p>{escape(cluster.balance.says)}</p>"
    if cluster.slos:
        yield "<h3>Workflows that kept to their SLOs</h3>"
        yield pictures.slos(cluster.slos, report.rules.workflows)
    yield from _workflows(cluster.workflows)
    yield from _kinds(cluster)
    yield from _costs(cluster.cost)
    yield from _queues(cluster)
    yield "</section>"


def _key(cluster: ClusterReport) -> str:
    tiers = "".join(
        f'<span><i class="{pictures.tier_class(tier.tier)}"></i>{tier_name(tier.tier)} '
        f"({_share(tier.share)})</span>"
        for tier in cluster.use.tiers
    )
    return f'<p class="key">{tiers}<span class="muted">dashed: the capacity; grey: not known</span></p>'


def _hours(cluster: ClusterReport) -> tuple[Sequence[str], list[Sequence[str]]]:
    head = ("hour", *(f"#{title}" for title in RESOURCES.values()))
    rows: list[Sequence[str]] = [
        (f"{hour:02}:00", *_amounts(amount)) for hour, amount in enumerate(cluster.use.by_hour)
    ]
    return head, rows


def _amounts(amount: Amount) -> list[str]:
    return [number(getattr(amount, field)) for field in RESOURCES]


def _workflows(workflows: Sequence[WorkflowRuns]) -> Iterator[str]:
    if not workflows:
        return
    # What went wrong first, and then the most critical.
    ordered = sorted(
        workflows, key=lambda workflow: (workflow.successful is not False, workflow.tier or 9, workflow.name)
    )
    rows = [
        (
            workflow.name or "(none)",
            str(workflow.tier or "-"),
            "-" if workflow.slo_hours is None else f"{workflow.slo_hours:g} h",
            f"{workflow.runs:,}",
            f"{workflow.in_time:,} of {workflow.judged:,}" if workflow.judged else "-",
            {True: "yes", False: "no", None: "-"}[workflow.successful],
            _time(workflow.held_seconds),
            _time(workflow.waiting_seconds),
            _time(workflow.running_seconds),
            _time(workflow.took_seconds),
            _usd(workflow.usd),
        )
        for workflow in ordered
    ]
    head = (
        *(
            "workflow",
            "tier",
            "#SLO",
            "#runs",
            "#in time",
            "successful",
            "#90% in Archer",
            "#90% in queue",
            "#90% ran",
            "#90% took",
            "#cost",
        ),
    )
    yield "<h3>Workflows</h3>"
    yield from _long_table(head, rows)


def _kinds(cluster: ClusterReport) -> Iterator[str]:
    rows = [(kind.kind, *_amounts(kind.hours)) for kind in cluster.kinds]
    if any(kind.hours.vcores or kind.hours.memory_gib for kind in cluster.kinds):
        yield "<h3>What became of it: runs of the day, times hours</h3>"
        yield from _table(("", "#machine-hours", "#vcore-hours", "#GiB-hours"), rows)


def _costs(cost: Cost) -> Iterator[str]:
    if cost.usd is None:
        return
    yield f"<h3>Cost of what was in use: {_usd(cost.usd)}</h3>"
    tables = {
        "organization": cost.by_organization,
        "project": cost.by_project,
        "tier": cost.by_tier,
        "type of machine": cost.by_instance_type,
    }
    yield '<div class="alike">'
    for title, amounts in tables.items():
        rows = [(key or "(none)", _usd(usd), f"{usd / cost.usd:.0%}") for key, usd in amounts.items()]
        yield from _long_table((title, "#USD", "#of it"), rows, shown=5)
    yield "</div>"


def _queues(cluster: ClusterReport) -> Iterator[str]:
    if not cluster.queues:
        return
    rows = [
        (
            queue.path or "(none)",
            number(queue.hours.instances),
            number(queue.peak.instances),
            "-" if queue.guaranteed is None else number(queue.guaranteed.instances),
            "-" if queue.maximum is None else number(queue.maximum.instances),
            _time(queue.waiting_seconds),
        )
        for queue in sorted(cluster.queues, key=lambda queue: -queue.hours.instances)
    ]
    head = ("queue", "#machine-hours", "#busiest hour", "#guaranteed", "#maximum", "#90% waited")
    yield "<h3>Queues, in machines</h3>"
    yield from _long_table(head, rows)


def _rules(report: Report) -> Iterator[str]:
    yield "<h2>What this goes by</h2>"
    rows = [(name, str(getattr(report.rules, name)), sentence) for name, sentence in SAYS.items()]
    yield from _table(("rule", "#", "is"), rows)
    yield "<ul>" + "".join(f"<li>{escape(assumption)}</li>" for assumption in report.assumptions) + "</ul>"


def _sentences(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        yield f'<p class="box">{escape(sentence)}</p>'


def _long_table(head: Sequence[str], rows: Sequence[Sequence[str]], shown: int = SHOWN) -> Iterator[str]:
    yield from _table(head, rows[:shown])
    if rows[shown:]:
        yield _fold(f"{len(rows) - shown:,} more", _table(head, rows[shown:]))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], raw: int = 0) -> Iterator[str]:
    """A table; columns whose title begins with `#` are numbers. raw: columns that are HTML."""
    if not rows:
        return
    kinds = [' class="n"' if title.startswith("#") else "" for title in head]
    titles = "".join(
        f'<th scope="col"{kind}>{escape(title.lstrip("#"))}</th>'
        for kind, title in zip(kinds, head, strict=True)
    )
    lines = [
        "<tr>"
        + "".join(
            f"<td{kind}>{cell if index < raw else escape(cell)}</td>"
            for index, (kind, cell) in enumerate(zip(kinds, row, strict=True))
        )
        + "</tr>"
        for row in rows
    ]
    body = "".join(lines)
    yield (f'<div class="scroll"><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>')


def _fold(title: str, content: Iterable[str]) -> str:
    return f"<details><summary>{escape(title)}</summary>{''.join(content)}</details>"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _usd(usd: float | None) -> str:
    return "-" if usd is None else f"${usd:,.2f}" if usd < 100 else f"${usd:,.0f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
