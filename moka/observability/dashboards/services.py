"""Programs of ours, a row each: every metric that one has is on a panel; and the ingress before them."""

from moka.metric_prefixes import ALLOCATOR
from moka.metric_prefixes import DRIVER_FINALIZER as FINALIZER
from moka.metric_prefixes import HISTORY_GATE as GATE
from moka.metric_prefixes import QUEUE_KEEPER as KEEPER
from moka.metric_prefixes import UI_GATEWAY as GATEWAY
from moka.metric_prefixes import USAGE_RECORDER as RECORDER
from moka.observability.panel import Dashboard, Panel, Row, Unit


def _panel(title: str, unit: Unit, note: str = "", **queries: str) -> Panel:
    legends = {f"{{{{cluster}}}} {legend.replace('_', ' ')}": text for legend, text in queries.items()}
    return Panel(title=title, unit=unit, queries=legends, note=note)


def _sum(metric: str) -> str:
    return f"sum by (cluster) ({metric}{{$scope}})"


def _max(metric: str) -> str:
    return f"max by (cluster) ({metric}{{$scope}})"


def _by(labels: str, metric: str) -> str:
    return f"max by (cluster, {labels}) ({ALLOCATOR}{metric}{{$scope}})"


def _since(time: str) -> str:
    return f"time() - max by (cluster) ({ALLOCATOR}{time}{{$scope}} != 0)"


def _a_minute(metric: str) -> str:
    return f"sum by (cluster) (rate({metric}{{$scope}}[5m])) * 60"


def _quantile(quantile: float, histogram: str) -> str:
    return f"histogram_quantile({quantile}, sum by (cluster, le) (rate({histogram}_bucket{{$scope}}[5m])))"


ROWS = (
    Row(
        title="driver_finalizer",
        panels=(
            _panel(
                "Drivers",
                "short",
                held=_sum(f"{FINALIZER}held"),
                of_those_ended=_sum(f"{FINALIZER}waiting"),
                namespaces=_sum(f"{FINALIZER}namespaces"),
            ),
            _panel("Longest wait", "s", wait=_max(f"{FINALIZER}longest_wait_seconds")),
            _panel(
                "Let go, failures, and pods deleted as their binding was lost, a minute",
                "cpm",
                let_go=_a_minute(f"{FINALIZER}released_total"),
                failures=_a_minute(f"{FINALIZER}failures_total"),
                bindings_lost=_a_minute(f"{FINALIZER}lost_bindings_total"),
            ),
        ),
    ),
    Row(
        title="queue_keeper",
        panels=(
            _panel("Nodes for jobs that there may be", "percentunit", of_all=_max(f"{KEEPER}capacity_share")),
            _panel("Since queues were last right", "s", behind=_max(f"{KEEPER}behind_seconds")),
            _panel(
                "Changes, and failures, a minute",
                "cpm",
                changes=_a_minute(f"{KEEPER}written_total"),
                failures=_a_minute(f"{KEEPER}failures_total"),
            ),
            _panel(
                "Amounts of the plan that are not in force",
                "short",
                left_out=_sum(f"{KEEPER}amounts_left_out"),
                clusters_with_other_settings=_sum(f"{KEEPER}other_settings"),
            ),
            _panel(
                "Revision of the plan",
                "short",
                revision=_max(f"{KEEPER}plan_revision"),
            ),
        ),
    ),
    Row(
        title="usage_recorder",
        panels=(
            _panel(
                "Behind",
                "s",
                events_not_read_for=_max(f"{RECORDER}behind_seconds"),
                not_saved_for=_max(f"{RECORDER}saved_age_seconds"),
            ),
            _panel(
                "Events and intervals that wait",
                "short",
                events=_max(f"{RECORDER}behind_events"),
                intervals=_max(f"{RECORDER}held_intervals"),
            ),
            _panel(
                "Allocations, and recorders that stand by",
                "short",
                allocations=_max(f"{RECORDER}running"),
                standing_by=_sum(f"{RECORDER}standing_by"),
            ),
            _panel(
                "Written, a minute",
                "cpm",
                intervals=_a_minute(f"{RECORDER}intervals_total"),
                parts=_a_minute(f"{RECORDER}parts_total"),
                days_put_together=_a_minute(f"{RECORDER}days_joined_total"),
                objects_of_summaries=_a_minute(f"{RECORDER}summary_objects_total"),
            ),
            _panel(
                "Bytes written",
                "Bps",
                bytes=f"sum by (cluster) (rate({RECORDER}bytes_total{{$scope}}[5m]))",
            ),
            _panel(
                "Gaps, what cannot be, and failures, a minute",
                "cpm",
                gaps=_a_minute(f"{RECORDER}gaps_total"),
                what_cannot_be=_a_minute(f"{RECORDER}oddities_total"),
                failures=_a_minute(f"{RECORDER}failures_total"),
            ),
        ),
    ),
    Row(
        title="allocator",
        panels=(
            _panel(
                "Since a plan was made, and took effect",
                "s",
                made=_since("last_success_seconds"),
                proposed=_since("last_plan_seconds"),
                failed=_since("last_failure_seconds"),
                in_force=_since("in_force_seconds"),
                started=_since("started_seconds"),
                note="Nothing where there was none.",
            ),
            Panel(
                title="Attempts of a week, by what came of them",
                unit="short",
                queries={
                    "{{cluster}} {{result}}": "sum by (cluster, result) "
                    f"(increase({ALLOCATOR}attempts_total{{$scope}}[7d]))"
                },
            ),
            Panel(
                title="Time of the last plan, by phase",
                unit="s",
                queries={"{{cluster}} {{phase}}": _by("phase", "plan_seconds")},
            ),
            _panel(
                "Better that a plan might be",
                "percentunit",
                gap=_max(f"{ALLOCATOR}plan_gap_ratio"),
            ),
            Panel(
                title="Why the last plan waits, or was not made",
                unit="short",
                queries={
                    "{{cluster}} {{result}}: {{sentence}}": _by("result, sentence", "says"),
                    "{{cluster}} no {{of}}: {{why}}": _by("of, why", "failing"),
                },
            ),
            _panel(
                "Of a week: what Archer refused, and workflows proposed",
                "short",
                refused=f"sum by (cluster) (increase({ALLOCATOR}refused_total{{$scope}}[7d]))",
                workflows=f"sum by (cluster) (increase({ALLOCATOR}workflows_proposed_total{{$scope}}[7d]))",
            ),
            _panel("Since the day that is reported began", "s", day=_since("report_day_seconds")),
        ),
    ),
    Row(
        title="event_log_uploader",
        panels=(
            _panel(
                "Furthest behind",
                "s",
                behind=_max("moka:event_logs:behind_seconds"),
            ),
            _panel(
                "Sidecars, and files that had no room",
                "short",
                sidecars=_sum("moka:event_logs:uploaders"),
                files=_sum("moka:event_logs:dropped_files"),
            ),
            _panel(
                "Objects written, a second",
                "ops",
                objects=_sum("moka:event_logs:puts_rate"),
            ),
            _panel("Bytes written", "Bps", bytes=_sum("moka:event_logs:bytes_rate")),
            _panel(
                "Failures, a second",
                "ops",
                rounds=_sum("moka:event_logs:failures_rate"),
                for_want_of_permission=_sum("moka:event_logs:credentials_failures_rate"),
            ),
        ),
    ),
    Row(
        title="ui_gateway",
        panels=(
            Panel(
                title="Requests, a second",
                unit="ops",
                queries={
                    "{{cluster}} {{page}} {{status}}": "sum by (cluster, page, status) "
                    f"(rate({GATEWAY}requests_total{{$scope}}[5m]))"
                },
            ),
            _panel(
                "Time of a request",
                "s",
                p50=_quantile(0.5, f"{GATEWAY}request_seconds"),
                p99=_quantile(0.99, f"{GATEWAY}request_seconds"),
            ),
            _panel(
                "Requests for each second of work",
                "ops",
                requests=f"sum by (cluster) (rate({GATEWAY}request_seconds_count{{$scope}}[5m])) / "
                f"sum by (cluster) (rate({GATEWAY}request_seconds_sum{{$scope}}[5m]))",
            ),
            Panel(
                title="Logins, a minute",
                unit="cpm",
                queries={
                    "{{cluster}} {{outcome}}": "sum by (cluster, outcome) "
                    f"(rate({GATEWAY}logins_total{{$scope}}[5m])) * 60"
                },
            ),
            _panel("Drivers that it knows", "short", drivers=_max(f"{GATEWAY}drivers")),
            _panel("Longest silence of a watch", "s", silence=_max(f"{GATEWAY}watch_idle_seconds")),
            _panel(
                "Links and questions, a minute",
                "cpm",
                links=_a_minute(f"{GATEWAY}links_put_total"),
                links_that_failed=_a_minute(f"{GATEWAY}link_failures_total"),
                questions_that_failed=_a_minute(f"{GATEWAY}questions_failed_total"),
            ),
        ),
    ),
    Row(
        title="Ingress",
        panels=(
            Panel(
                title="Requests, a second",
                unit="ops",
                queries={
                    "{{cluster}} {{code}}": "sum by (cluster, code) "
                    "(rate(traefik_entrypoint_requests_total{$scope}[5m]))"
                },
            ),
            _panel(
                "Time of a request",
                "s",
                p50=_quantile(0.5, "traefik_entrypoint_request_duration_seconds"),
                p99=_quantile(0.99, "traefik_entrypoint_request_duration_seconds"),
            ),
            _panel("Connections", "short", connections=_sum("traefik_open_connections")),
            _panel(
                "Certificates are good for",
                "s",
                least="min by (cluster) (traefik_tls_certs_not_after{$scope} - time())",
            ),
        ),
    ),
    Row(
        title="history_gate",
        panels=(
            _panel(
                "Jobs that were opened, a minute",
                "cpm",
                hot=_a_minute(f"{GATE}opened_hot_total"),
                of_the_archive=_a_minute(f"{GATE}opened_archive_total"),
                still_run=_a_minute(f"{GATE}still_running_total"),
                not_found=_a_minute(f"{GATE}not_found_total"),
                failed=_a_minute(f"{GATE}server_errors_total"),
            ),
            _panel(
                "Logs that are not joined yet",
                "short",
                waiting=_max(f"{GATE}open_logs"),
                being_read=_max(f"{GATE}being_read"),
                left_out_of_the_list=_max(f"{GATE}left_out"),
            ),
            _panel("The one that waits longest", "s", wait=_max(f"{GATE}oldest_open_seconds")),
            _panel(
                "Logs joined, a minute",
                "cpm",
                joined=_a_minute(f"{GATE}joined_total"),
                failed=_a_minute(f"{GATE}join_failures_total"),
            ),
            _panel(
                "Age of the server's last scan",
                "s",
                age=_max(f"{GATE}scan_age_seconds"),
                interval=_max(f"{GATE}scan_interval_seconds"),
            ),
            _panel("Hot logs", "short", logs=_max(f"{GATE}hot_logs")),
            _panel(
                "Share of the server's list that was lost", "percentunit", lost=_max(f"{GATE}unlisted_share")
            ),
            _panel("Jobs listed again, a minute", "cpm", listed=_a_minute(f"{GATE}relisted_total")),
        ),
    ),
)

DASHBOARD = Dashboard(name="services", title="moka / Services", rows=ROWS)
