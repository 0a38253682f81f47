"""Jobs: all of them, by what was recorded, and one that is chosen, by its own series."""

from moka.observability.panel import Dashboard, Panel, Row, Unit, Variable

ONE = '{$scope,namespace=~"$namespace",application="$application"}'
ONES_PODS = '{$scope,namespace=~"$namespace",application="$application",role=~".+"}'
DRIVER = "metrics_spark_driver_"
EXECUTOR = "metrics_executor_"
START = (
    "histogram_quantile(0.9, sum by (cluster, le) "
    "(rate(spark_application_start_latency_seconds_histogram_bucket{$scope}[10m])))"
)


def _driver(name: str) -> str:
    return f"sum({DRIVER}{name}{ONE})"


def _executors(name: str) -> str:
    return f"sum({EXECUTOR}{name}{ONE})"


def _panel(title: str, unit: Unit, note: str = "", **queries: str) -> Panel:
    legends = {legend.replace("_", " "): query for legend, query in queries.items()}
    return Panel(title=title, unit=unit, queries=legends, note=note)


ALL = Row(
    title="All jobs",
    panels=(
        Panel(
            title="Jobs by state",
            unit="short",
            queries={"{{state}}": "sum by (state) (moka:applications:states{$scope})"},
        ),
        Panel(
            title="Longest wait, by queue",
            unit="s",
            queries={
                "{{cluster}} {{queue}}": "topk(10, max by (cluster, queue) "
                "(moka:applications:longest_wait_seconds{$scope}))"
            },
        ),
        Panel(
            title="From a SparkApplication to its run",
            unit="s",
            note="Nine of ten take no longer.",
            queries={"{{cluster}}": START},
        ),
        Panel(
            title="Queues with the most cores in use",
            unit="cores",
            kind="bargauge",
            queries={
                "{{cluster}} {{queue}}": "topk(10, sum by (cluster, queue) (moka:pods:cpu_usage{$scope}))"
            },
        ),
        Panel(
            title="Queues that use least of what they hold",
            unit="percentunit",
            kind="bargauge",
            note="Cores in use, of those that are allocated.",
            queries={
                "{{cluster}} {{queue}}": "bottomk(10, sum by (cluster, queue) (moka:pods:cpu_usage{$scope}) "
                "/ (sum by (cluster, queue) "
                '(yunikorn_queue_resource{$scope,resource="vcore",state="allocated"}) / 1000 > 0))'
            },
        ),
        Panel(
            title="Failed tasks, a second",
            unit="ops",
            queries={"{{cluster}} {{queue}}": "topk(10, moka:tasks:failed_rate{$scope})"},
        ),
        Panel(
            title="Submissions of jobs that are kept",
            unit="short",
            note="More than jobs: some were submitted again.",
            width=12,
            queries={
                "{{cluster}} submissions": "sum by (cluster) (moka:applications:attempts{$scope})",
                "{{cluster}} jobs": "sum by (cluster) (moka:applications:states{$scope})",
            },
        ),
        Panel(
            title="How containers of drivers ended, if not well",
            unit="short",
            width=12,
            queries={"{{cluster}} {{reason}}": "sum by (cluster, reason) (moka:drivers:last_ends{$scope})"},
        ),
    ),
)

CHOSEN = Row(
    title="The chosen job",
    panels=(
        _panel(
            "Jobs and stages",
            "short",
            jobs_that_run=_driver("DAGScheduler_job_activeJobs_Value"),
            stages_that_run=_driver("DAGScheduler_stage_runningStages_Value"),
            stages_that_wait=_driver("DAGScheduler_stage_waitingStages_Value"),
            stages_that_failed=_driver("DAGScheduler_stage_failedStages_Value"),
        ),
        _panel(
            "Tasks",
            "short",
            run=_executors("activeTasks"),
            room=_executors("maxTasks"),
        ),
        _panel(
            "Tasks that ended, a second",
            "ops",
            completed=f"sum(rate({DRIVER}appStatus_tasks_completedTasks_Count{ONE}[5m]))",
            failed=f"sum(rate({DRIVER}appStatus_tasks_failedTasks_Count{ONE}[5m]))",
            killed=f"sum(rate({DRIVER}appStatus_tasks_killedTasks_Count{ONE}[5m]))",
        ),
        _panel(
            "Executors",
            "short",
            note="Where they are allocated as they are needed.",
            there=_driver("ExecutorAllocationManager_executors_numberAllExecutors_Value"),
            asked_for=_driver("ExecutorAllocationManager_executors_numberTargetExecutors_Value"),
            of_use=_driver("ExecutorAllocationManager_executors_numberMaxNeededExecutors_Value"),
        ),
        Panel(
            title="Cores in use",
            unit="cores",
            queries={"{{role}}": f"sum by (role) (container_cpu_usage{ONES_PODS})"},
        ),
        Panel(
            title="Memory of pods",
            unit="bytes",
            queries={"{{role}}": f"sum by (role) (container_memory_working_set{ONES_PODS})"},
        ),
        Panel(
            title="Disk of pods",
            unit="bytes",
            queries={"{{role}}": f"sum by (role) (container_filesystem_usage{ONES_PODS})"},
        ),
        _panel(
            "Heap",
            "bytes",
            of_the_driver=_driver("jvm_heap_used_Value"),
            of_the_driver_at_most=_driver("jvm_heap_max_Value"),
            of_executors=_executors("JVMHeapMemory_bytes"),
        ),
        _panel(
            "Shuffle of executors that are there",
            "bytes",
            note="It falls when an executor leaves.",
            read=_executors("totalShuffleRead_bytes_total"),
            written=_executors("totalShuffleWrite_bytes_total"),
        ),
        _panel(
            "Share of time for garbage",
            "percentunit",
            of_tasks=f"{_executors('totalGCTime_seconds_total')} / "
            f"({_executors('totalDuration_seconds_total')} > 0)",
        ),
        _panel(
            "Storage",
            "bytes",
            memory=_executors("memoryUsed_bytes"),
            memory_at_most=_executors("maxMemory_bytes"),
            disk=_executors("diskUsed_bytes"),
        ),
        _panel(
            "Events that the driver dropped, a second",
            "ops",
            of_its_page=f"sum(rate({DRIVER}LiveListenerBus_queue_appStatus_numDroppedEvents_Count{ONE}[5m]))",
            of_its_log=f"sum(rate({DRIVER}LiveListenerBus_queue_eventLog_numDroppedEvents_Count{ONE}[5m]))",
        ),
        _panel(
            "Event log is behind",
            "s",
            seconds=f"max(moka_event_log_uploader_behind_seconds{ONE})",
        ),
    ),
)

DASHBOARD = Dashboard(
    name="applications",
    title="moka / Applications",
    rows=(ALL, CHOSEN),
    variables=(
        Variable(label="namespace", metric="moka:applications:states{$scope}"),
        Variable(
            label="application",
            metric='moka_spark_application_state_info{$scope,namespace=~"$namespace"}',
            several=False,
        ),
    ),
)
