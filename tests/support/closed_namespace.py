"""A namespace of the test's API server that takes applications of Archer only."""

from moka.components.kubernetes.archer_only import POLICY_NAME, rules
from moka.components.kubernetes.yunikorn import service_account_pattern

GROUP = "/apis/admissionregistration.k8s.io/v1"


def close(api, namespace):
    """Bind the rules to a namespace, as layer spark does; the function that takes them away."""
    about = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": POLICY_NAME}}
    makers = [service_account_pattern("spark-operator"), service_account_pattern(namespace, "spark")]
    policy = f"{GROUP}/validatingadmissionpolicies/{POLICY_NAME}"
    binding = f"{GROUP}/validatingadmissionpolicybindings/{POLICY_NAME}"
    api.apply(policy, {**about, "kind": "ValidatingAdmissionPolicy", "spec": rules([namespace], makers)})
    bound = {"policyName": POLICY_NAME, "validationActions": ["Deny"]}
    api.apply(binding, {**about, "kind": "ValidatingAdmissionPolicyBinding", "spec": bound})

    def undo():
        api.delete(binding)
        api.delete(policy)

    return undo
