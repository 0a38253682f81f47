"""Nodes, system pods, the scheduler and the operator of a cluster."""

from moka.observability.panel import Dashboard, Panel, Row

ROLES = "* on (cluster, node) group_left (label_moka_dev_role) kube_node_labels{$scope}"
OF_ROLE = "sum by (cluster, label_moka_dev_role)"
DISK = "k8s_node_filesystem_available{$scope} / k8s_node_filesystem_capacity{$scope}"
ADDRESSES = (
    'sum by (cluster) (16 * ceil(sum by (cluster, node) (moka_pods{$scope,host_network="false"}) / 16))'
)
SUBMISSION = (
    "histogram_quantile(%s, sum by (cluster, le) "
    "(rate(spark_application_submit_latency_seconds_histogram_bucket{$scope}[10m])))"
)
SCHEDULING = (
    "histogram_quantile(%s, sum by (cluster, le) "
    "(rate(yunikorn_scheduler_scheduling_latency_milliseconds_bucket{$scope}[5m])))"
)

NODES = Row(
    title="Nodes",
    panels=(
        Panel(
            title="Nodes by role and architecture",
            unit="short",
            queries={
                "{{cluster}} {{label_moka_dev_role}} {{label_kubernetes_io_arch}}": "count by "
                "(cluster, label_moka_dev_role, label_kubernetes_io_arch) (kube_node_labels{$scope})"
            },
        ),
        Panel(
            title="Cores in use by role",
            unit="cores",
            queries={
                "{{cluster}} {{label_moka_dev_role}}": f"{OF_ROLE} (k8s_node_cpu_usage{{$scope}} {ROLES})"
            },
        ),
        Panel(
            title="Memory in use by role",
            unit="bytes",
            queries={
                "{{cluster}} {{label_moka_dev_role}}": f"{OF_ROLE} "
                f"(k8s_node_memory_working_set{{$scope}} {ROLES})"
            },
        ),
        Panel(
            title="Conditions that are not as they should be",
            unit="short",
            queries={
                "{{cluster}} not ready": "sum by (cluster) "
                '(kube_node_status_condition{$scope,condition="Ready",status=~"false|unknown"})',
                "{{cluster}} {{condition}}": "sum by (cluster, condition) "
                '(kube_node_status_condition{$scope,condition=~".*Pressure",status="true"})',
            },
        ),
        Panel(
            title="Disks with the least room",
            unit="percentunit",
            kind="bargauge",
            queries={"{{cluster}} {{node}}": f"bottomk(10, {DISK})"},
        ),
        Panel(
            title="Addresses that pods take",
            unit="short",
            note="Prefixes of 16 for each node, as the VPC CNI takes them.",
            queries={
                "{{cluster}} taken": ADDRESSES,
                "{{cluster}} there": "max by (cluster) (moka_pod_addresses{$scope})",
            },
        ),
    ),
)

HOSTS = Row(
    title="Hosts",
    panels=(
        Panel(
            title="What processors do",
            unit="cores",
            queries={
                "{{cluster}} {{state}}": "sum by (cluster, state) "
                '(rate(system_cpu_time{$scope,state!="idle"}[5m]))'
            },
        ),
        Panel(
            title="What memory is for",
            unit="bytes",
            queries={"{{cluster}} {{state}}": "sum by (cluster, state) (system_memory_usage{$scope})"},
        ),
        Panel(
            title="Highest load for a core",
            unit="short",
            kind="bargauge",
            queries={
                "{{cluster}} {{node}}": "topk(10, system_cpu_load_average_5m{$scope} / on (cluster, node) "
                'kube_node_status_allocatable{$scope,resource="cpu"})'
            },
        ),
        Panel(
            title="Network",
            unit="Bps",
            width=6,
            queries={
                "{{cluster}} {{direction}}": "sum by (cluster, direction) "
                "(rate(k8s_node_network_io{$scope}[5m]))"
            },
        ),
        Panel(
            title="Errors of the network",
            unit="ops",
            width=6,
            queries={
                "{{cluster}} {{direction}}": "sum by (cluster, direction) "
                "(rate(k8s_node_network_errors{$scope}[5m]))"
            },
        ),
        Panel(
            title="Disks",
            unit="Bps",
            width=6,
            queries={
                "{{cluster}} {{direction}}": "sum by (cluster, direction) (rate(system_disk_io{$scope}[5m]))"
            },
        ),
        Panel(
            title="Busiest disks",
            unit="percentunit",
            kind="bargauge",
            width=6,
            queries={"{{cluster}} {{node}} {{device}}": "topk(10, rate(system_disk_io_time{$scope}[5m]))"},
        ),
    ),
)

PODS = Row(
    title="Pods",
    panels=(
        Panel(
            title="Pods",
            unit="short",
            queries={"{{cluster}}": "sum by (cluster) (moka_pods{$scope})"},
        ),
        Panel(
            title="Pods that have no node",
            unit="short",
            queries={
                "{{cluster}} {{namespace}}": "sum by (cluster, namespace) (moka:pods:unschedulable{$scope})"
            },
        ),
        Panel(
            title="Containers that wait, by reason",
            unit="short",
            queries={
                "{{cluster}} {{namespace}} {{reason}}": "sum by (cluster, namespace, reason) "
                "(moka:containers:waiting{$scope})"
            },
        ),
        Panel(
            title="Restarts in an hour",
            unit="short",
            kind="bargauge",
            queries={"{{cluster}} {{namespace}} {{container}}": "topk(10, moka:containers:restarts{$scope})"},
        ),
        Panel(
            title="Replicas that are missing",
            unit="short",
            width=16,
            queries={
                "{{cluster}} {{namespace}}/{{deployment}}": "sum by (cluster, namespace, deployment) "
                "(kube_deployment_spec_replicas{$scope} - kube_deployment_status_replicas_available{$scope})",
                "{{cluster}} {{namespace}}/{{daemonset}}": "sum by (cluster, namespace, daemonset) "
                "(kube_daemonset_status_desired_number_scheduled{$scope} - "
                "kube_daemonset_status_number_ready{$scope})",
                "{{cluster}} {{namespace}}/{{statefulset}}": "sum by (cluster, namespace, statefulset) "
                "(kube_statefulset_replicas{$scope} - kube_statefulset_status_replicas_ready{$scope})",
            },
        ),
    ),
)

CONTROL = Row(
    title="Scheduler and operator",
    panels=(
        Panel(
            title="Time of a scheduling cycle",
            unit="s",
            note="The name of YuniKorn's metric says milliseconds; its values are seconds.",
            queries={"{{cluster}} p50": SCHEDULING % 0.5, "{{cluster}} p99": SCHEDULING % 0.99},
        ),
        Panel(
            title="Pods placed, a second",
            unit="ops",
            queries={
                "{{cluster}} {{state}}": "sum by (cluster, state) "
                "(rate(yunikorn_scheduler_container_allocation_attempt_total{$scope}[5m]))"
            },
        ),
        Panel(
            title="Applications that YuniKorn was given, a minute",
            unit="cpm",
            queries={
                "{{cluster}} {{result}}": "sum by (cluster, result) "
                "(rate(yunikorn_scheduler_application_submission_total{$scope}[5m])) * 60"
            },
        ),
        Panel(
            title="Applications that the operator has to look at",
            unit="short",
            queries={"{{cluster}} {{name}}": "sum by (cluster, name) (workqueue_depth{$scope})"},
        ),
        Panel(
            title="From a SparkApplication to its driver",
            unit="s",
            queries={"{{cluster}} p50": SUBMISSION % 0.5, "{{cluster}} p90": SUBMISSION % 0.9},
        ),
        Panel(
            title="Errors of controllers, a minute",
            unit="cpm",
            queries={
                "{{cluster}} {{controller}}": "sum by (cluster, controller) "
                "(rate(controller_runtime_reconcile_errors_total{$scope}[5m])) * 60"
            },
        ),
    ),
)

DASHBOARD = Dashboard(name="cluster", title="moka / Cluster", rows=(NODES, HOSTS, PODS, CONTROL))
