import pytest

from moka.components.kubernetes.job_pods import JobPods, JobPodsArgs, rules

POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"


@pytest.fixture
def stack(deploy):
    def program():
        JobPods("spark-a-job-pods", JobPodsArgs(namespaces=["jobs", "adhoc"], trusted=["^operator$"]))

    return deploy(program)


def test_the_rules_are_for_pods_of_these_namespaces_and_hold_or_refuse(stack):
    [policy] = stack.inputs(POLICY)

    assert policy["spec"] == rules(["jobs", "adhoc"], ["^operator$"])
    constraints = policy["spec"]["matchConstraints"]
    [selected] = constraints["namespaceSelector"]["matchExpressions"]
    assert (selected["operator"], selected["values"]) == ("In", ["adhoc", "jobs"])
    assert [rule["resources"] for rule in constraints["resourceRules"]] == [["pods"]]
    assert policy["spec"]["failurePolicy"] == "Fail"


def test_the_rules_are_bound_to_what_they_are_called(stack):
    [policy] = stack.inputs(POLICY)
    [binding] = stack.inputs(f"{POLICY}Binding")

    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}
