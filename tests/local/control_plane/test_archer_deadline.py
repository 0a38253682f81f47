"""What the real API server makes of applications that were held up on their way."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from moka.components.kubernetes.archer_deadline import POLICY_NAME, rules
from moka.submission.job_id import new_id
from moka.submission.manifest import manifest
from tests.support.admission import bind, refusal
from tests.support.jobs import make_application, make_job, make_job_target
from tests.support.simulated_operator import define

LATE = "was held up on its way"
HOUR = timedelta(hours=1)


def application(deadline):
    job = new_id(datetime.now(UTC))
    made = manifest(make_job(), make_job_target(), job, 1, "ann", deadline=deadline)
    del made["metadata"]["namespace"]
    return made


@pytest.fixture
def refused(api, namespace, eventually):
    """Say why the API server refuses an application; None where it makes it."""
    define(api)
    path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications"
    unbind = bind(api, POLICY_NAME, rules([namespace]))

    refused = partial(refusal, api, path)

    late = application(datetime.now(UTC) - HOUR)
    eventually(lambda: LATE in (refused(late, dryRun="All") or ""))
    yield refused
    unbind()


def test_one_in_time_is_made(refused):
    assert refused(application(datetime.now(UTC) + HOUR)) is None


def test_one_that_comes_late_is_not_made_whatever_time_it_claims(refused):
    late = application(datetime.now(UTC) - timedelta(seconds=2))
    early = (datetime.now(UTC) - HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")
    late["metadata"]["creationTimestamp"] = early

    assert LATE in refused(late)


def test_one_without_a_deadline_is_as_before(refused):
    plain = make_application("pi")

    assert refused({**plain, "metadata": {"name": "pi"}}) is None


def test_what_is_no_time_is_refused(refused):
    wrong = application(datetime.now(UTC) + HOUR)
    wrong["metadata"]["annotations"]["moka.dev/create-before"] = "tomorrow"

    assert "tomorrow" in refused(wrong) or "timestamp" in refused(wrong)


def test_one_that_was_made_changes_long_after_its_deadline(refused, api, namespace, eventually):
    near = application(datetime.now(UTC) + timedelta(seconds=3))
    assert refused(near) is None
    path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications"
    again = application(datetime.now(UTC) + timedelta(seconds=1))
    eventually(lambda: LATE in (refused(again, dryRun="All") or ""))

    mine = f"{path}/{near['metadata']['name']}"
    assert api.merge(mine, {"metadata": {"labels": {"team": "one"}}})
