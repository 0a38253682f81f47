"""What the API server lets in: the checks that stand before it, and whom YuniKorn takes for whom."""

import re
from collections.abc import Sequence

from moka.names import JOB_SIZE, PLATFORM_NAMESPACES, QUEUE_CLAIMS, priority_class
from policies.namespaces import is_in, is_job_namespace
from policies.pack.objects import where
from policies.pack.resource import UNKNOWN, Resource, at, fully_known, mapping, member, sequence, text
from policies.pack.rule import Parameters, StackViolations, Violations
from policies.pack.types import CONFIG_MAP, NAMESPACE, PRIORITY_CLASS, QUOTA
from policies.queues import DECISION, PREEMPTION_GUIDE, QUEUES, is_critical, leaves_of
from policies.workloads import PODS

ADMISSION_GUIDE = "https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/"
YUNIKORN_GUIDE = "https://yunikorn.apache.org/docs/user_guide/service_config"
CONTROLLER = "admissionController."
ADMISSION_POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
ADMISSION_BINDING = f"{ADMISSION_POLICY}Binding"


@PODS.rule(
    "admission-fails-closed",
    ADMISSION_POLICY,
    ADMISSION_BINDING,
    severity="high",
    why="A check that warns, or that is passed over when it fails, keeps nobody out.",
    references=(ADMISSION_GUIDE,),
)
def admission_fails_closed(policy: Resource, _: Parameters) -> Violations:
    """What an admission policy refuses, and what it cannot decide, is not let in."""
    if policy.type == ADMISSION_BINDING:
        actions = policy.get("spec.validationActions", [])
        if fully_known(actions) and "Deny" not in sequence(actions):
            yield f"{where(policy)} refuses nothing: set spec.validationActions to [Deny]."
    elif policy.get("spec.failurePolicy", "Fail") == "Ignore":
        yield f"{where(policy)} is passed over when it fails: set spec.failurePolicy to Fail."


@PODS.stack_rule(
    "admission-bound",
    ADMISSION_POLICY,
    ADMISSION_BINDING,
    severity="high",
    why="The API server asks a policy nothing that no binding puts in force.",
    references=(ADMISSION_GUIDE,),
)
def admission_bound(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Every admission policy is bound."""
    bindings = [resource for resource in resources if resource.type == ADMISSION_BINDING]
    for policy in resources:
        if policy.type != ADMISSION_POLICY or policy.get("metadata.name") is UNKNOWN:
            continue
        policy_names = [
            binding.get("spec.policyName") for binding in bindings if binding.provider == policy.provider
        ]
        if policy.object_name not in policy_names and not any(name is UNKNOWN for name in policy_names):
            yield policy, f"{where(policy)} is not in force: bind it, with validationActions [Deny]."


@PODS.stack_rule(
    "job-namespace-bounded",
    NAMESPACE,
    QUOTA,
    ADMISSION_POLICY,
    severity="medium",
    why="One team's mistake fills the API server for all.",
    references=("https://docs.aws.amazon.com/eks/latest/best-practices/tenant-isolation.html",),
)
def job_namespace_bounded(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Job namespaces have a bound of pods, or of the executors of a job."""
    quotas = [quota for quota in resources if quota.type == QUOTA and _bounds_pods(quota)]
    sizes = _called(JOB_SIZE, resources)
    for namespace in resources:
        if namespace.type != NAMESPACE or not is_job_namespace(namespace):
            continue
        if not any(is_in(quota, namespace) for quota in quotas) and not any(
            _is_for(policy, namespace) for policy in sizes
        ):
            yield (
                namespace,
                f"{where(namespace)} has no bound of pods: give it the admission policy {JOB_SIZE}, or a "
                "ResourceQuota of pods.",
            )


def _bounds_pods(quota: Resource) -> bool:
    hard = quota.get("spec.hard", {})
    return hard is UNKNOWN or not {"pods", "count/pods"}.isdisjoint(mapping(hard))


def _called(name: str, resources: Sequence[Resource]) -> list[Resource]:
    """The admission policies of a name, and those whose name is not known yet."""
    return [
        resource
        for resource in resources
        if resource.type == ADMISSION_POLICY and resource.get("metadata.name") in (name, UNKNOWN)
    ]


@QUEUES.rule(
    "yunikorn-for-jobs-only",
    CONFIG_MAP,
    severity="critical",
    why="Pods of the platform would wait for its scheduler, and its own pods for themselves.",
    references=(YUNIKORN_GUIDE, DECISION),
)
def yunikorn_for_jobs_only(config_map: Resource, _: Parameters) -> Violations:
    """YuniKorn takes the pods of job namespaces only."""
    patterns = member(config_map.get("data"), f"{CONTROLLER}filtering.processNamespaces")
    if patterns is None and _is_yunikorn(config_map):
        patterns = ""
    if not isinstance(patterns, str):
        return
    for namespace in sorted(PLATFORM_NAMESPACES):
        # Without any, it takes those of all namespaces.
        if not patterns.strip() or any(_matches(pattern, namespace) for pattern in patterns.split(",")):
            yield (
                f"YuniKorn takes the pods of {namespace} by {where(config_map)}: name job namespaces in "
                f"{CONTROLLER}filtering.processNamespaces, as in ^spark-jobs$."
            )
            return


def _is_yunikorn(config_map: Resource) -> bool:
    return config_map.object_name == "yunikorn-configs" and config_map.get("data") is not UNKNOWN


def _matches(pattern: str, namespace: str) -> bool:
    try:
        return bool(re.search(pattern.strip(), namespace))
    except re.error:
        return False


@QUEUES.rule(
    "yunikorn-users-checked",
    CONFIG_MAP,
    severity="high",
    why="Whoever submits a pod could say that it is somebody else's, and take their share.",
    references=(YUNIKORN_GUIDE, DECISION),
)
def yunikorn_users_checked(config_map: Resource, _: Parameters) -> Violations:
    """YuniKorn believes only those whom it is told to believe whose a pod is."""
    data = config_map.get("data")
    if member(data, f"{CONTROLLER}accessControl.bypassAuth") == "true":
        yield f"{where(config_map)} lets anybody say whose a pod is: set bypassAuth to 'false'."
    for field in ("externalUsers", "externalGroups", "systemUsers"):
        patterns = text(member(data, f"{CONTROLLER}accessControl.{field}"))
        if any(_matches(pattern, NOBODY) for pattern in patterns.split(",") if pattern.strip()):
            yield f"{where(config_map)} takes anybody for one of its {field}: name them."


NOBODY = "somebody-whom-no-pattern-means"


@QUEUES.stack_rule(
    "tier-1-claimed",
    CONFIG_MAP,
    NAMESPACE,
    ADMISSION_POLICY,
    severity="high",
    why="Whoever may submit anywhere has jobs in the most critical queues, where nothing preempts them.",
    references=(ADMISSION_GUIDE, DECISION),
)
def tier_1_claimed(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Where there is a tier 1, job namespaces say which queues their jobs may run in."""
    critical = {
        resource.provider
        for resource in resources
        if resource.type == CONFIG_MAP and any(is_critical(path) for path, _ in leaves_of(resource))
    }
    claims = _called(QUEUE_CLAIMS, resources)
    for namespace in resources:
        if namespace.type != NAMESPACE or not is_job_namespace(namespace):
            continue
        if namespace.provider in critical and not any(_is_for(policy, namespace) for policy in claims):
            yield (
                namespace,
                f"Jobs in {where(namespace)} may name any queue, those of tier 1 as well: give it `claims` "
                "in the settings.",
            )


def _is_for(policy: Resource, namespace: Resource) -> bool:
    """Whether an admission policy names a namespace, or may."""
    if policy.provider != namespace.provider:
        return False
    expressions = policy.get("spec.matchConstraints.namespaceSelector.matchExpressions", [])
    unknown = namespace.get("metadata.name") is UNKNOWN or not fully_known(expressions)
    return unknown or any(
        namespace.object_name in sequence(at(expression, "values")) for expression in sequence(expressions)
    )


@QUEUES.stack_rule(
    "priorities-in-order",
    PRIORITY_CLASS,
    severity="high",
    why="Jobs that can wait would go before those that cannot, and take their room.",
    references=(PREEMPTION_GUIDE, DECISION),
)
def priorities_in_order(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """The priority of a tier is above that of the next one."""
    tiers = [priority_class(tier) for tier in (1, 2, 3)]
    for lower in resources:
        if lower.object_name not in tiers:
            continue
        place = tiers.index(lower.object_name)
        for higher in resources:
            above, below = _value(higher), _value(lower)
            same = higher.provider == lower.provider and higher.object_name in tiers[:place]
            if same and above is not None and below is not None and above <= below:
                yield lower, f"{where(lower)} is not below {higher.object_name}: lower its value."


def _value(priority: Resource) -> float | None:
    value = priority.get("value", 0)
    return float(value) if isinstance(value, int | float) else None
