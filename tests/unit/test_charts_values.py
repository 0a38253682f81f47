"""Helm takes unknown keys in silence; these tests do not, where the charts' own values are at hand.

With whole charts at hand (`MOKA_CHARTS`) each value is changed in turn, and what Helm makes has to change
with it: so a key that is in a chart's `values.yaml` and read by nobody is found, and one that is read and
left out there is none.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from re import compile as pattern
from typing import Any, Union, get_args, get_origin

import jsonschema
import pulumi_kubernetes as k8s
import pytest
import yaml
from pulumi._types import input_type_types

from moka.catalog import merge_values
from moka.components.kubernetes.cluster_autoscaler import ClusterAutoscaler, ClusterAutoscalerArgs
from moka.components.kubernetes.fluent_bit import FluentBit, FluentBitArgs
from moka.components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from moka.components.kubernetes.kube_state_metrics import KubeStateMetrics, KubeStateMetricsArgs
from moka.components.kubernetes.load_balancer_controller import (
    LoadBalancerController,
    LoadBalancerControllerArgs,
)
from moka.components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs
from moka.components.kubernetes.spark_operator import SparkOperator, SparkOperatorArgs
from moka.components.kubernetes.traefik import Traefik, TraefikArgs
from moka.components.kubernetes.yunikorn import YuniKorn, YuniKornArgs
from moka.queues import QueueTree
from policies.catalog import RULES
from policies.pack import configuration
from policies.pack.evaluation import Evaluation
from policies.pack.resource import UNKNOWN, Resource
from policies.pack.types import RELEASE
from policies.start import environments
from stacks import settings
from stacks.settings import reading
from stacks.settings.logs import Logs
from tests.support.calendar import TODAY
from tests.support.chart_rendering import chart_at_hand, manifests, template, whole_chart_at_hand

UNLISTED = {
    "ingress-nginx": {
        f"controller.config.{key}"  # its program's
        for key in (
            "force-ssl-redirect",
            *("proxy-body-size", "proxy-buffer-size", "proxy-read-timeout"),
            "worker-shutdown-timeout",
        )
    },
    "traefik": {"ports.websecure.asDefault"},  # a comment there
    "kube-state-metrics": {
        "priorityClassName",
        *("customResourceState.config.kind", "customResourceState.config.spec"),  # its program's
    },
    "opentelemetry-collector": {"service.enabled"},
}
"""Keys that templates read and `values.yaml` leaves out."""

ANY_KEYS = {
    "alternateConfig",
    "annotations",
    "entryPoint",
    "extraArgs",
    "extraFiles",
    "featureGates",
    "luaScripts",
    "nodeSelector",
    "podAnnotations",
    "podLabels",
    "yunikornDefaults",
}
"""Values with keys of the user's choice, for nodes and pods, or of the chart's program."""

CORE = k8s.core.v1
PASSED_ON: Mapping[str, Any] = {
    "affinity": CORE.AffinityArgs,
    "capabilities": CORE.CapabilitiesArgs,
    "daemonSetVolumeMounts": list[CORE.VolumeMountArgs],
    "daemonSetVolumes": list[CORE.VolumeArgs],
    "env": list[CORE.EnvVarArgs],
    "lifecycle": CORE.LifecycleArgs,
    "livenessProbe": CORE.ProbeArgs,
    "podDisruptionBudget": k8s.policy.v1.PodDisruptionBudgetSpecArgs,
    "resources": CORE.ResourceRequirementsArgs,
    "rollingUpdate": k8s.apps.v1.RollingUpdateDaemonSetArgs,
    "rules": list[k8s.rbac.v1.PolicyRuleArgs],
    "seccompProfile": CORE.SeccompProfileArgs,
    "tolerations": list[CORE.TolerationArgs],
    "topologySpreadConstraints": list[CORE.TopologySpreadConstraintArgs],
    "updateStrategy": k8s.apps.v1.DaemonSetUpdateStrategyArgs,
}
"""What charts pass on to Kubernetes as it is, and what it is there."""

ONLY_SAID = {
    # What stands in for the operator on a laptop makes the account.
    "spark-operator": {"spark.serviceAccount.name"},
    # It looks for the Secret in the cluster.
    "aws-load-balancer-controller": {"keepTLSSecret"},
}
"""Values that change nothing in what Helm makes without a cluster, and are there all the same."""

NEW_EACH_TIME = pattern(r"[A-Za-z0-9+/=]{100,}")
"""Certificates and keys: a chart makes other ones each time."""

RELEASES = [
    "aws-load-balancer-controller",
    "cluster-autoscaler",
    "fluent-bit",
    "ingress-nginx",
    "kube-state-metrics",
    "opentelemetry-agent",
    "opentelemetry-gateway",
    "opentelemetry-scraper",
    "spark-operator",
    "traefik",
    "yunikorn",
]
EVERY_NODE = {"fluent-bit", "opentelemetry-agent"}


@pytest.fixture
def releases(deploy, catalog):
    """Every release of the platform, by name."""
    where = {"catalog": catalog, "namespace": "somewhere"}

    def program():
        ClusterAutoscaler(
            "a", ClusterAutoscalerArgs(**where, cluster="a", version="1.34", region="us-east-1")
        )
        LoadBalancerController(
            "a", LoadBalancerControllerArgs(**where, cluster="a", vpc_id="vpc-1", region="us-east-1")
        )
        FluentBit(
            "a",
            FluentBitArgs(
                **where,
                cluster="a",
                job_namespaces=["jobs"],
                job_logs_bucket="job-logs",
                system_logs_bucket="system-logs",
                region="us-east-1",
                usage_bucket="usage",
                usage_region="us-east-1",
                size=Logs().size,
            ),
        )
        IngressNginx("a", IngressNginxArgs(**where, tls=True))
        KubeStateMetrics("a", KubeStateMetricsArgs(**where))
        OpenTelemetry(
            "a",
            OpenTelemetryArgs(
                **where,
                nodes_namespace="nodes",
                origin={"environment": "e", "cluster": "a", "region": "us-east-1"},
                job_namespaces=["jobs"],
                storage_class="gp3",
            ),
        )
        SparkOperator(
            "a",
            SparkOperatorArgs(**where, job_namespaces=["jobs"]),
        )
        Traefik("a", TraefikArgs(**where, tls=True))
        YuniKorn("a", YuniKornArgs(**where, queues=QueueTree(), job_namespaces=["jobs"]))

    releases = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return {release["name"]: release for release in releases}


def test_every_file_of_values_is_a_release_and_every_chart_is_used(releases, catalog):
    assert sorted(releases) == sorted(catalog.values), "make every release in the fixture `releases`"
    assert sorted(releases) == RELEASES, "name every release in RELEASES"
    assert {release["chart"] for release in releases.values()} == set(catalog.charts)


@pytest.mark.parametrize("name", sorted(set(RELEASES) - EVERY_NODE))
def test_its_pods_are_on_system_nodes(releases, name):
    values = releases[name]["values"]
    selectors = dict(values_of(values, "nodeSelector"))

    assert selectors
    assert all(selector == {"moka.dev/role": "system"} for selector in selectors.values())


@pytest.mark.parametrize("name", sorted(EVERY_NODE))
def test_its_pods_are_on_every_node(releases, name):
    values = releases[name]["values"]

    assert values["tolerations"] == [{"operator": "Exists"}]
    assert not dict(values_of(values, "nodeSelector"))


@pytest.mark.parametrize("name", RELEASES)
def test_its_chart_or_kubernetes_knows_every_key(releases, name):
    chart = chart_at_hand(releases[name]["chart"])
    defaults = yaml.safe_load((chart / "values.yaml").read_text())

    unknown = set(unknown_keys(releases[name]["values"], defaults)) - UNLISTED.get(chart.name, set())

    assert not unknown


@pytest.mark.parametrize("name", RELEASES)
def test_its_chart_reads_every_value(releases, name):
    release = releases[name]
    chart = whole_chart_at_hand(release["chart"])
    values = release["values"]

    def render(values: Mapping) -> str:
        return NEW_EACH_TIME.sub("", template(chart, name, release["namespace"], values))

    def reacts(path: tuple[str, ...], value: object) -> bool:
        try:
            return render(with_value(values, path, another(value))) != as_it_is
        except AssertionError:
            return True  # it refuses the other value

    as_it_is = render(values)
    every = list(leaves(values))
    with ThreadPoolExecutor(2) as pool:
        reactions = pool.map(lambda leaf: reacts(*leaf), every)
        idle = {".".join(path) for (path, _), reacted in zip(every, reactions, strict=True) if not reacted}

    assert idle == ONLY_SAID.get(chart.name, set()) & {".".join(path) for path, _ in every}


@pytest.mark.parametrize("environment", reading.environments())
def test_what_an_environment_says_over_the_values_of_a_release_is_known(releases, environment):
    for name, values in settings.load(environment).charts.values.items():
        chart = chart_at_hand(releases[name]["chart"])
        defaults = yaml.safe_load((chart / "values.yaml").read_text())

        assert set(unknown_keys(values, defaults)) <= UNLISTED.get(chart.name, set())


@pytest.mark.parametrize("name", ["opentelemetry-agent", "opentelemetry-gateway", "opentelemetry-scraper"])
def test_its_values_fit_the_schema_of_its_chart(releases, name):
    chart = chart_at_hand(releases[name]["chart"])
    schema = yaml.safe_load((chart / "values.schema.json").read_text())
    defaults = yaml.safe_load((chart / "values.yaml").read_text())

    jsonschema.Draft202012Validator(schema).validate(merge_values(defaults, releases[name]["values"]))


@pytest.mark.parametrize("name", RELEASES)
def test_its_chart_at_hand_is_the_pinned_one(releases, name, catalog):
    chart = chart_at_hand(releases[name]["chart"])

    pinned = catalog.charts[chart.name].version
    assert yaml.safe_load((chart / "Chart.yaml").read_text())["version"] == pinned


# These releases are without a mirror.
OF_A_MIRROR = ("chart-from-allowed-repository", "image-by-digest", "image-from-allowed-registry")


@pytest.mark.parametrize("name", RELEASES)
def test_the_policies_of_prod_let_what_its_chart_makes_of_them_ship(releases, name):
    objects = manifests(releases[name])
    settings = configuration.load(configuration.FILE.read_bytes(), RULES, "prod", environments(), TODAY)
    settings = settings.with_settings({rule: {"level": "disabled"} for rule in OF_A_MIRROR})
    release = Resource(RELEASE, name, f"urn:{name}", releases[name])

    assert objects
    # What is listed is so by its namespace, which is another one here.
    for item in objects:
        item["metadata"]["namespace"] = UNKNOWN
    violations = Evaluation(RULES, settings, lambda _: objects).violations(release)
    assert [violation.sentence for violation in violations] == []


KNOWN = {"controller": {"workers": 10, "labels": {}}, "list": [], "resources": {}, "tolerations": []}


@pytest.mark.parametrize(
    ("written", "unknown"),
    [
        ({"controller": {"workers": 20}, "list": [1]}, []),
        ({"controller": {"worker": 20}, "batchScheduler": {}}, ["controller.worker", "batchScheduler"]),
        ({"controller": {"labels": {"any": 1}}}, ["controller.labels.any"]),
        ({"nodeSelector": {"any": "value"}}, ["nodeSelector"]),
        ({"resources": {"limits": {"memory": "1Gi"}}}, []),
        ({"resources": {"limit": {"memory": "1Gi"}}}, ["resources.limit"]),
        ({"resources": {"limits": {"cpu": 2}}}, ["resources.limits.cpu"]),
        ({"tolerations": [{"key": "a", "operator": "Exists"}]}, []),
        ({"tolerations": [{"key": "a"}, {"keys": "b"}]}, ["tolerations.1.keys"]),
    ],
)
def test_a_key_that_neither_a_chart_nor_kubernetes_knows_is_found(written, unknown):
    assert list(unknown_keys(written, KNOWN)) == unknown


def unknown_keys(written: Mapping, defaults: Mapping, above: str = "") -> Iterator[str]:
    """Paths in `written` that are neither in a chart's defaults nor of what it passes on to Kubernetes."""
    for key, value in written.items():
        at, default = above + key, defaults.get(key)
        passed_on = Any if key in ANY_KEYS else kubernetes(key)
        if key not in defaults:
            yield at
        elif passed_on is Any:
            continue
        elif passed_on:
            yield from misfits(value, passed_on, default, at)
        elif isinstance(value, Mapping):
            yield from unknown_keys(value, default if isinstance(default, Mapping) else {}, f"{at}.")


def kubernetes(key: str) -> Any:
    """What Kubernetes takes under such a key of a chart; None where that is the chart's own business."""
    if key.lower().endswith("securitycontext"):
        # Whether of a pod or of its containers, charts do not agree on.
        return Union[CORE.PodSecurityContextArgs, CORE.SecurityContextArgs]  # noqa: UP007
    return PASSED_ON.get(key)


def misfits(value: object, expected: Any, default: object, at: str) -> Iterator[str]:
    """Paths in a value that Kubernetes does not take there, nor the chart beside it."""
    options = get_args(expected) if get_origin(expected) is Union else (expected,)
    members = {key: typ for option in options for key, typ in members_of(option).items()}
    beside = default if isinstance(default, Mapping) else {}
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from misfits(item, items_of(options), None, f"{at}.{number}")
    elif isinstance(value, Mapping) and members:
        for key, item in value.items():
            if key in members:
                yield from misfits(item, members[key], beside.get(key), f"{at}.{key}")
            elif key not in beside:
                yield f"{at}.{key}"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from misfits(item, items_of(options), beside.get(key), f"{at}.{key}")
    elif not scalar_of(value) & set(options):
        yield at


def scalar_of(value: object) -> set[type]:
    """Types that a plain value is good for."""
    if isinstance(value, bool | str):
        return {type(value)}
    return {int, float} if isinstance(value, int | float) else set()


def members_of(option: Any) -> Mapping[str, Any]:
    """Members of a kind of Kubernetes, as the SDK has it, by Kubernetes' names."""
    return (
        input_type_types(option)
        if isinstance(option, type) and option.__module__.startswith("pulumi")
        else {}
    )


def items_of(options: tuple[Any, ...]) -> Any:
    """What a list or mapping is of; the SDK adds that each may come later."""
    for option in options:
        if get_args(option):
            item = get_args(option)[-1]
            return get_args(item)[0] if get_origin(item) is Union else item
    return None


def leaves(values: Mapping, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value that is no mapping, by path; a mapping with keys of the user's choice is one."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value and key not in ANY_KEYS:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def with_value(values: Mapping, path: tuple[str, ...], value: object) -> dict[str, Any]:
    """Values with another value at a path."""
    key, *rest = path
    return {**values, key: with_value(values[key], tuple(rest), value) if rest else value}


def another(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return []
    return f"{value}x" if isinstance(value, str) else {"any": "x"}


def values_of(values: Mapping, name: str, above: str = "") -> Iterator[tuple[str, object]]:
    """Every value of a key, wherever it is, by path."""
    for key, value in values.items():
        if key == name:
            yield above + key, value
        elif isinstance(value, Mapping):
            yield from values_of(value, name, f"{above}{key}.")
