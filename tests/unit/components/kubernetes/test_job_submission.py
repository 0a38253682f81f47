import re

import pytest

from moka.components.kubernetes.job_submission import (
    KEY,
    POLICY_NAME,
    JobSubmission,
    JobSubmissionArgs,
    rules,
)

POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"


def test_the_rules_are_for_applications_of_these_namespaces_and_hold_or_refuse(deploy):
    def program():
        arguments = JobSubmissionArgs(
            namespaces=["jobs", "adhoc"], packages=["a:b:1"], repositories=["https://c"]
        )
        JobSubmission("spark-a-job-submission", arguments)

    stack = deploy(program)

    [policy], [binding] = stack.inputs(POLICY), stack.inputs(f"{POLICY}Binding")
    assert policy["spec"] == rules(["jobs", "adhoc"], ["a:b:1"], ["https://c"])
    [selected] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    assert selected["values"] == ["adhoc", "jobs"]
    assert policy["spec"]["failurePolicy"] == "Fail"
    assert binding["spec"] == {"policyName": POLICY_NAME, "validationActions": ["Deny"]}


@pytest.mark.parametrize(
    "key", ["spark.master", "spark.kubernetes.namespace", "spark.submit.pyFiles", "spark.jars", "a=b", "=="]
)
def test_a_key_that_the_operator_submits_by_is_known(key):
    assert re.search(KEY, key)


@pytest.mark.parametrize(
    "key", ["spark.master.rest.port", "spark.jars.ivy", "spark.submission", "sparkXmaster", "spark.app.name"]
)
def test_what_only_begins_like_one_is_another(key):
    assert not re.search(KEY, key)
