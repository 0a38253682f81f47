"""Which queues the real API server keeps the jobs of a namespace out of."""

from functools import partial

import pytest

from moka.components.kubernetes.queue_claims import POLICY_NAME, rules
from moka.queues.claims import Claim
from tests.support.admission import bind, refusal
from tests.support.jobs import make_application
from tests.support.simulated_operator import define

CLAIMS = (Claim(organization="sales", tiers=(2, 3)), Claim(organization="ads", project="web", tiers=(1,)))
OWN, OTHER = "root.sales.reports.tier2", "root.sales.reports.tier1"
NOT_THIS = "may not run in this queue"
CANONICAL = "yunikorn.apache.org/queue"


@pytest.fixture
def refused(api, namespace, eventually):
    """Say why an object of the namespace is refused; None where it is taken."""
    define(api)
    # Another namespace's claims are not this one's.
    claims = {namespace: CLAIMS, "other": (Claim(organization="ads"),)}
    spec = rules({name: [claim.pattern for claim in own] for name, own in claims.items()})
    unbind = bind(api, POLICY_NAME, spec)

    refused = partial(refusal, api)

    # A policy and a binding hold a moment after they were made.
    eventually(lambda: NOT_THIS in (refused(pods(namespace), pod({CANONICAL: OTHER}), dryRun="All") or ""))
    yield refused
    unbind()


def pods(namespace):
    return f"/api/v1/namespaces/{namespace}/pods"


def applications(namespace):
    return f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications"


def pod(labels=None, annotations=None):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one", "labels": labels or {}, "annotations": annotations or {}},
        "spec": {"schedulerName": "yunikorn", "containers": [{"name": "main", "image": "any"}]},
    }


def application(queue, name="pi"):
    made = make_application(name, batchSchedulerOptions={"queue": queue} if queue else {})
    return {**made, "metadata": {"name": name}}


@pytest.mark.parametrize(
    ("queue", "says"),
    [
        (OWN, None),
        ("root.ads.web.tier1", None),
        (OTHER, NOT_THIS),
        ("root.ads.web.tier2", NOT_THIS),
        ("root.salesX.reports.tier2", NOT_THIS),
        ("root.sales.reports.tier2.more", NOT_THIS),
        (None, "names a queue"),
    ],
)
def test_an_application_names_one_of_its_namespace_s_queues(refused, namespace, queue, says):
    said = refused(applications(namespace), application(queue), dryRun="All")

    assert said is None if says is None else says in said


@pytest.mark.parametrize(
    ("labels", "annotations", "says"),
    [
        ({CANONICAL: OWN}, {}, None),
        ({"queue": OWN}, {}, None),
        ({}, {CANONICAL: OWN}, None),
        ({"queue": OWN, CANONICAL: OTHER}, {}, NOT_THIS),
        ({CANONICAL: OWN}, {CANONICAL: OTHER}, NOT_THIS),
        ({}, {}, "names a queue"),
    ],
)
def test_a_pod_made_by_hand_does_so_by_whatever_yunikorn_might_read(
    refused, namespace, labels, annotations, says
):
    said = refused(pods(namespace), pod(labels, annotations), dryRun="All")

    assert said is None if says is None else says in said


def test_what_was_there_before_goes_on_and_comes_to_no_other_queue(refused, api, namespace, eventually):
    assert refused(applications(namespace), application(OWN)) is None
    bind(api, POLICY_NAME, rules({namespace: [Claim(organization="ads").pattern]}))
    eventually(lambda: refused(applications(namespace), application(OWN, "later"), dryRun="All"))

    mine = f"{applications(namespace)}/pi"
    assert api.merge(mine, {"metadata": {"labels": {"team": "one"}}})
    with pytest.raises(Exception, match=NOT_THIS):
        api.merge(mine, {"spec": {"batchSchedulerOptions": {"queue": OTHER}}})
