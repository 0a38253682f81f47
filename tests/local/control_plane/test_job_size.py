"""How many executors the real API server lets a job ask for."""

from functools import partial

import pytest

from moka.components.kubernetes.job_size import POLICY_NAME, rules
from tests.support.admission import bind, refusal
from tests.support.jobs import make_application
from tests.support.simulated_operator import define

TOO_MANY, NO_MAXIMUM = "has at most 50 executors", "needs a maximum"
FIXED, LARGEST = "spark.executor.instances", "spark.dynamicAllocation.maxExecutors"
ELASTIC = {"enabled": True, "minExecutors": 1}
ON = {"spark.dynamicAllocation.enabled": "true"}


@pytest.fixture
def refused(api, namespace, applications_path, eventually):
    """Say why an application of the namespace is refused; None where it is taken."""
    define(api)
    unbind = bind(api, POLICY_NAME, rules({namespace: 50, "other": 5}))

    refused = partial(refusal, api, applications_path)

    eventually(lambda: TOO_MANY in (refused(application(51), dryRun="All") or ""))
    yield refused
    unbind()


def application(instances=None, **spec):
    application = make_application("pi", **spec)
    application["spec"]["executor"].pop("instances")
    if instances is not None:
        application["spec"]["executor"]["instances"] = instances
    return application


@pytest.mark.parametrize(
    ("instances", "spec", "says"),
    [
        (50, {}, None),
        (51, {}, TOO_MANY),
        (None, {}, None),
        (None, {"sparkConf": {FIXED: "50"}}, None),
        (None, {"sparkConf": {FIXED: "51"}}, TOO_MANY),
        # Whichever of the two the operator would take.
        (1, {"sparkConf": {FIXED: "51"}}, TOO_MANY),
        (None, {"sparkConf": {FIXED: "many"}}, TOO_MANY),
        (None, {"sparkConf": {FIXED: "4294967297"}}, TOO_MANY),
        (None, {"dynamicAllocation": {**ELASTIC, "maxExecutors": 50}}, None),
        (None, {"dynamicAllocation": {**ELASTIC, "maxExecutors": 51}}, TOO_MANY),
        (None, {"dynamicAllocation": {**ELASTIC, "maxExecutors": 50, "initialExecutors": 51}}, TOO_MANY),
        (None, {"dynamicAllocation": ELASTIC}, NO_MAXIMUM),
        (None, {"dynamicAllocation": {"enabled": False}}, None),
        (None, {"sparkConf": ON}, NO_MAXIMUM),
        # As Python writes it, and as Spark reads it.
        (None, {"sparkConf": {"spark.dynamicAllocation.enabled": " True"}}, NO_MAXIMUM),
        (None, {"sparkConf": {"spark.dynamicAllocation.enabled": "false"}}, None),
        (None, {"sparkConf": {**ON, LARGEST: "50"}}, None),
        (None, {"sparkConf": {**ON, LARGEST: "51"}}, TOO_MANY),
        (None, {"dynamicAllocation": ELASTIC, "sparkConf": {LARGEST: "50"}}, None),
        (51, {"dynamicAllocation": {**ELASTIC, "maxExecutors": 50}}, TOO_MANY),
    ],
)
def test_a_job_asks_for_no_more_executors_than_its_namespace_allows(refused, instances, spec, says):
    answer = refused(application(instances, **spec), dryRun="All")

    assert answer is None if says is None else says in answer


def test_what_was_there_before_the_bound_goes_on_and_does_not_grow(
    refused, api, namespace, applications_path, eventually
):
    assert refused(application(40)) is None
    bind(api, POLICY_NAME, rules({namespace: 10}))
    eventually(lambda: "at most 10" in (refused(application(11), dryRun="All") or ""))

    assert api.merge(f"{applications_path}/pi", {"metadata": {"labels": {"team": "one"}}})
    with pytest.raises(Exception, match="at most 10"):
        api.merge(f"{applications_path}/pi", {"spec": {"executor": {"instances": 41}}})
    assert api.merge(f"{applications_path}/pi", {"spec": {"executor": {"instances": 9}}})


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ((2, {}), {"dynamicAllocation": {"enabled": True}}, NO_MAXIMUM),
        (
            (None, {"dynamicAllocation": {**ELASTIC, "maxExecutors": 50}}),
            {"dynamicAllocation": {"maxExecutors": None, "initialExecutors": 50}},
            NO_MAXIMUM,
        ),
    ],
)
def test_an_application_that_changes_is_looked_at_as_a_new_one_is(
    refused, api, applications_path, before, after, says
):
    instances, spec = before
    assert refused(application(instances, **spec)) is None

    with pytest.raises(Exception, match=says):
        api.merge(f"{applications_path}/pi", {"spec": after})
