"""What the real API server lets an application say of its submission, which the operator runs as itself."""

from functools import partial

import pytest

from moka.components.kubernetes.job_submission import POLICY_NAME, rules
from moka.jobs.reserved import SUBMISSION
from tests.support.admission import bind, refusal
from tests.support.jobs import make_application
from tests.support.simulated_operator import define

KNOWN, REPOSITORY = "org.postgresql:postgresql:42.7.4", "https://maven.example"
TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
MODE, FILE, FILES = (
    "a driver runs in a pod of its own",
    "spec.mainApplicationFile is a URL",
    "files, pyFiles and",
)
PACKAGE, OTHER, KEY = "the operator would run what is in", "are only those of", "spec.sparkConf says where"


@pytest.fixture
def refused(api, namespace, applications_path, eventually):
    """Say why an application of the namespace is refused; None where it is taken."""
    define(api)
    unbind = bind(api, POLICY_NAME, rules([namespace], [KNOWN], [REPOSITORY]))
    refused = partial(refusal, api, applications_path)
    eventually(lambda: MODE in (refused(make_application("pi", mode="client"), dryRun="All") or ""))
    yield refused
    unbind()


SPECS = (
    ({}, None),
    ({"mode": "cluster"}, None),
    ({"mode": "client"}, MODE),
    ({"mainApplicationFile": "s3a://code/main.py"}, None),
    ({"mainApplicationFile": "--conf"}, FILE),
    ({"mainApplicationFile": "/opt/spark/main.py"}, FILE),
    ({"mainApplicationFile": "file:///opt/spark/main.py"}, FILE),
    ({"deps": {"jars": ["local:///opt/a.jar", "https://example/b.jar"]}}, None),
    ({"deps": {"files": [f"file://{TOKEN}"]}}, FILES),
    ({"deps": {"jars": ["local:///opt/a.jar"], "archives": [TOKEN]}}, FILES),
    ({"deps": {"pyFiles": [f"s3a://code/a.py,{TOKEN}"]}}, FILES),
    ({"deps": {"packages": [KNOWN], "repositories": [REPOSITORY]}}, None),
    ({"deps": {"packages": [KNOWN, "com.example:hook:1"]}}, PACKAGE),
    ({"deps": {"packages": [KNOWN], "repositories": ["https://other.example"]}}, OTHER),
    ({"sparkConf": {"spark.sql.shuffle.partitions": "10", "spark.jars.ivy": "/tmp/.ivy2"}}, None),
    ({"sparkConf": {"spark.kubernetes.authenticate.driver.serviceAccountName": "spark"}}, None),
    ({"sparkConf": {"spark.kubernetes.kerberos.krb5.path": TOKEN}}, KEY),
    ({"sparkConf": {"spark.kubernetes.namespace=other#": "1"}}, KEY),
    *(({"sparkConf": {key.replace("*", "x"): "1"}}, KEY) for key in SUBMISSION),
)
"""What an application says -> part of the refusal; None where it is taken."""


def test_an_application_submits_where_and_as_it_should(refused):
    answers = [(spec, says, refused(make_application("pi", **spec), dryRun="All")) for spec, says in SPECS]

    assert [
        (spec, answer)
        for spec, says, answer in answers
        if (answer is not None if says is None else says not in (answer or ""))
    ] == []


def test_without_a_main_file_its_first_argument_would_be_an_option(refused):
    application = make_application("pi", arguments=["--conf", "spark.kubernetes.namespace=other"])
    application["spec"].pop("mainApplicationFile")

    assert "mainApplicationFile" in refused(application, dryRun="All")


def test_what_was_there_before_goes_on_unless_it_changes(api, namespace, applications_path, eventually):
    define(api)
    before = make_application("before", sparkConf={"spark.submit.anything": "1"})
    api.create(applications_path, before)
    unbind = bind(api, POLICY_NAME, rules([namespace]))
    eventually(lambda: refusal(api, applications_path, make_application("pi", mode="client"), dryRun="All"))

    api.merge(f"{applications_path}/before", {"metadata": {"labels": {"team": "reports"}}})
    with pytest.raises(Exception, match=KEY):
        api.merge(f"{applications_path}/before", {"spec": {"sparkConf": {"spark.submit.other": "2"}}})
    unbind()
