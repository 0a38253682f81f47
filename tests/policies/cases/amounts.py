from dataclasses import replace

from policies.pack.types import DEPLOYMENT, DISRUPTION_BUDGET, STATEFUL_SET
from tests.policies.cases.case import Case, a, failing, passing

ADMISSION_POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"


def taking(**limits: str) -> dict:
    containers = [{"name": "main", "resources": {"limits": limits}}]
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def placed(role: str) -> dict:
    return {"spec": {"template": {"spec": {"nodeSelector": {"moka.dev/role": role}}}}}


def budget(**spec: object):
    return a(DISRUPTION_BUDGET, {"spec": spec})


def bound_to(policy: str):
    return a(f"{ADMISSION_POLICY}Binding", {"spec": {"policyName": policy}})


ADMITTED = a(ADMISSION_POLICY, {"metadata": {"name": "only-archer"}})

AMOUNTS: list[Case] = [
    passing("amounts-in-units", a(DEPLOYMENT, taking(memory="512Mi", cpu="500m"))),
    passing("amounts-in-units", a(DEPLOYMENT, taking(memory="536870912", cpu="1.5"))),
    passing("amounts-in-units", a(DEPLOYMENT, taking(memory="0"))),
    failing("amounts-in-units", a(DEPLOYMENT, taking(memory="512")), says="limits of 512 memory"),
    failing("amounts-in-units", a(DEPLOYMENT, taking(memory="512m")), says="512Mi"),
    failing("amounts-in-units", a(DEPLOYMENT, taking(cpu="500")), says="limits of 500 cores"),
    #
    passing("workload-has-pods", a(DEPLOYMENT, {"spec": {}})),
    passing("workload-has-pods", a(DEPLOYMENT, {"spec": {"replicas": 0}}, "spare"), but=["spare"]),
    failing("workload-has-pods", a(STATEFUL_SET, {"spec": {"replicas": 0}}), says="no pods"),
    #
    passing("placed-by-known-role", a(DEPLOYMENT, placed("system"))),
    passing("placed-by-known-role", a(DEPLOYMENT, taking())),
    failing("placed-by-known-role", a(DEPLOYMENT, placed("systm")), says="role systm"),
    #
    passing("disruption-budget-works", budget(maxUnavailable=1)),
    passing("disruption-budget-works", budget(minAvailable="50%")),
    failing("disruption-budget-works", budget(maxUnavailable=0), says="no pod go"),
    failing("disruption-budget-works", budget(minAvailable="100%"), says="no pod go"),
    failing("disruption-budget-works", budget(maxUnavailable="100%"), says="all pods go"),
]

ADMISSION: list[Case] = [
    passing("admission-fails-closed", a(ADMISSION_POLICY, {"spec": {"failurePolicy": "Fail"}})),
    passing("admission-fails-closed", a(ADMISSION_POLICY, {"spec": {}})),
    passing(
        "admission-fails-closed",
        a(f"{ADMISSION_POLICY}Binding", {"spec": {"validationActions": ["Deny", "Audit"]}}),
    ),
    failing(
        "admission-fails-closed",
        a(ADMISSION_POLICY, {"spec": {"failurePolicy": "Ignore"}}),
        says="passed over",
    ),
    failing(
        "admission-fails-closed",
        a(f"{ADMISSION_POLICY}Binding", {"spec": {"validationActions": ["Warn"]}}),
        says="refuses nothing",
    ),
    #
    passing("admission-bound", ADMITTED, bound_to("only-archer")),
    passing("admission-bound", bound_to("only-archer")),
    failing("admission-bound", ADMITTED, says="is not in force"),
    failing("admission-bound", ADMITTED, bound_to("job-pods"), says="is not in force"),
    failing(
        "admission-bound",
        ADMITTED,
        replace(bound_to("only-archer"), provider="of another cluster"),
        says="is not in force",
    ),
]
