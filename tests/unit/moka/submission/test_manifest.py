import re
from datetime import UTC, datetime

import pytest

from moka.jobs.application import spark_application
from moka.mistakes import InvalidDocument
from moka.submission.job_id import id_text, new_id
from moka.submission.manifest import FINALIZER, attempt_of, manifest
from tests.support.jobs import make_job, make_job_target

ID = new_id(datetime.now(UTC))
SOON = {"deadline": datetime(2026, 11, 26, 12, 0, 20, tzinfo=UTC)}


def test_an_attempt_is_the_application_of_its_job_under_a_name_of_its_own():
    job, target = make_job(restart={"policy": "on-failure", "retries": 5}), make_job_target()

    made = manifest(job, target, ID, 2, "ann", **SOON)

    assert attempt_of(made) == (ID, 2)
    assert made["metadata"]["name"] == f"pi-{id_text(ID)}-2"
    assert made["metadata"]["labels"]["yunikorn.apache.org/app-id"] == made["metadata"]["name"]
    assert made["metadata"]["finalizers"] == [FINALIZER]
    assert made["spec"]["restartPolicy"] == {"type": "Never"}
    plain = spark_application(job, target)
    assert made["spec"]["driver"]["cores"] == plain["spec"]["driver"]["cores"]
    assert re.search(made["metadata"]["name"], made["metadata"]["annotations"]["moka.dev/ui-url"])
    assert made["metadata"]["annotations"]["moka.dev/create-before"] == "2026-11-26T12:00:20+00:00"


def test_it_runs_for_who_submitted_it_whatever_the_job_says():
    job = make_job(user="root", groups=["admin"])
    made = manifest(job, make_job_target(), ID, 1, "ann", ["data"], **SOON)

    annotations = made["spec"]["driver"]["annotations"]["yunikorn.apache.org/user.info"]
    assert '"ann"' in annotations
    assert '"data"' in annotations
    assert "root" not in annotations
    assert "admin" not in annotations


def test_a_job_that_does_not_fit_any_more_says_why():
    with pytest.raises(InvalidDocument, match="namespace"):
        manifest(make_job(namespace="gone"), make_job_target(), ID, 1, "ann", **SOON)


def test_an_application_of_somebody_else_is_nobodys_attempt():
    assert attempt_of(spark_application(make_job(), make_job_target())) is None
