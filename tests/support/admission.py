"""Rules of ours, bound in the test's API server as `components/kubernetes/admission_policy.py` binds them."""

GROUP = "/apis/admissionregistration.k8s.io/v1"


def refusal(api, path, thing, **query):
    """Say why the API server does not make an object; None where it does."""
    try:
        api.create(path, thing, **query)
    except Exception as error:
        return str(error)
    return None


def bind(api, name, spec):
    """Have a ValidatingAdmissionPolicy of this spec hold; the function that takes it away.

    A policy and its binding hold a moment after they were made.
    """
    about = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": name}}
    policy = f"{GROUP}/validatingadmissionpolicies/{name}"
    binding = f"{GROUP}/validatingadmissionpolicybindings/{name}"
    bound = {"policyName": name, "validationActions": ["Deny"]}
    api.apply(policy, {**about, "kind": "ValidatingAdmissionPolicy", "spec": spec})
    api.apply(binding, {**about, "kind": "ValidatingAdmissionPolicyBinding", "spec": bound})

    def unbind():
        api.delete(binding)
        api.delete(policy)

    return unbind
