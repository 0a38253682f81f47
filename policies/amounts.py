"""How many pods there are, where they are placed and what they take: what is easily mistyped."""

from moka.machines.node_roles import ROLES
from moka.names import ROLE_LABEL
from moka.quantities import millicores
from policies.pack.objects import containers, pod_spec, where
from policies.pack.resource import Resource, member, text
from policies.pack.rule import Parameters, Violations
from policies.pack.types import DEPLOYMENT, DISRUPTION_BUDGET, STATEFUL_SET, WORKLOADS
from policies.workloads import PODS, RESOURCES_GUIDE

UNITS_GUIDE = "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/"
SELECTOR_GUIDE = "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodeselector"
BUDGET_GUIDE = "https://kubernetes.io/docs/tasks/run-application/configure-pdb/"


@PODS.rule(
    "amounts-in-units",
    *WORKLOADS,
    severity="high",
    why="Memory of `512` is bytes, and of `512m` half a byte, in which nothing runs; no node has 500 cores.",
    references=(UNITS_GUIDE, RESOURCES_GUIDE),
    at_least_bytes=4 * 2**20,
    at_most_cores=192,
)
def amounts_in_units(workload: Resource, parameters: Parameters) -> Violations:
    """What containers take is an amount that a program runs in and a node has."""
    for container in containers(workload):
        for kind in ("requests", "limits"):
            memory, cores = (container.get(f"resources.{kind}.{name}", "") for name in ("memory", "cpu"))
            if 0 < _thousandths(memory) < 1000 * parameters["at_least_bytes"]:
                yield f"{where(workload, container)} has {kind} of {memory} memory: write a unit, as 512Mi."
            if _thousandths(cores) > 1000 * parameters["at_most_cores"]:
                yield f"{where(workload, container)} has {kind} of {cores} cores: write a unit, as 500m."


def _thousandths(amount: object) -> int:
    """Of a byte or core; 0 for what is no amount, or not known yet."""
    try:
        return millicores(str(amount))
    except ValueError:
        return 0


@PODS.rule(
    "workload-has-pods",
    DEPLOYMENT,
    STATEFUL_SET,
    severity="high",
    why="What has no pods does nothing, and nothing fails by that.",
    references=("https://kubernetes.io/docs/concepts/workloads/controllers/deployment/",),
    but=[],
)
def workload_has_pods(workload: Resource, parameters: Parameters) -> Violations:
    """Deployments and StatefulSets have pods."""
    replicas = workload.get("spec.replicas", 1)
    if isinstance(replicas, int | float) and replicas < 1 and workload.name not in parameters["but"]:
        yield f"{where(workload)} has no pods: set spec.replicas to 1 or more, or remove it."


@PODS.rule(
    "placed-by-known-role",
    *WORKLOADS,
    severity="high",
    why="No node has another role, so the pods stay pending, and a release that waits for them fails.",
    references=(SELECTOR_GUIDE, "docs/decisions/0006-node-group-generations.md"),
)
def placed_by_known_role(workload: Resource, _: Parameters) -> Violations:
    """Pods that select nodes by role name one that nodes have."""
    role = text(member(pod_spec(workload).get("nodeSelector"), ROLE_LABEL))
    if role and role not in ROLES:
        roles = ", ".join(ROLES)
        yield f"{where(workload)} is for nodes with role {role}, which none has: take one of {roles}."


@PODS.rule(
    "disruption-budget-works",
    DISRUPTION_BUDGET,
    severity="high",
    why="A budget of nothing ends every drain in force, after 15 minutes; one of all takes all pods at once.",
    references=(
        BUDGET_GUIDE,
        "https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",
    ),
)
def disruption_budget_works(budget: Resource, _: Parameters) -> Violations:
    """A PodDisruptionBudget lets some pods go, and not all of them."""
    most, least = budget.get("spec.maxUnavailable"), budget.get("spec.minAvailable")
    if most in (0, "0", "0%") or least == "100%":
        yield f"{where(budget)} lets no pod go: set maxUnavailable to 1 or more."
    elif most == "100%" or least in (0, "0", "0%"):
        yield f"{where(budget)} lets all pods go at once: set maxUnavailable to 1."
