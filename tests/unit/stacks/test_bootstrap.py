"""The example of docs/operations/node-groups.md: nodes wait for a FUSE mount, and a job sees it."""

import base64
import email
import subprocess

import pytest
import yaml

from moka.jobs.application import spark_application
from moka.jobs.checks import mistakes
from policies.catalog import RULES
from policies.pack.configuration import load
from policies.pack.evaluation import Evaluation
from policies.pack.resource import Resource
from stacks import program, settings
from stacks.job_target import job_target
from stacks.slices import Slice, units
from tests.support.calendar import TODAY
from tests.support.documented import commands
from tests.support.http_server import fixed_answers
from tests.support.jobs import make_job
from tests.support.wrong_settings import changed

PAGE, HEADING = "docs/operations/node-groups.md", "## What has to run before pods"
AGENT_HEADING = "### Nodes that wait for the Pod Identity agent"
AGENT = "http://169.254.170.23/"
BUCKETS = {"staging_bucket": "staging", "code_bucket": "code"}
TAINT = "startup-taint.cluster-autoscaler.kubernetes.io/warehouse"


@pytest.fixture(scope="module")
def loaded():
    """stacks/local.yaml with what the page shows."""
    example = yaml.safe_load(commands(PAGE, HEADING, 0))
    changes = {
        "clusters.spark-a.bootstrap": example["clusters"]["spark-a"]["bootstrap"],
        "job_namespaces.spark-jobs": example["job_namespaces"]["spark-jobs"],
    }
    return settings.parse(changed(changes), "stacks/local.yaml")


@pytest.fixture(scope="module")
def recorder(deploy, loaded):
    return deploy(lambda: program.deploy(loaded, Slice("local", frozenset(units(loaded)))))


def flags(template):
    """Flags of the kubelet in a launch template."""
    [part] = email.message_from_string(base64.b64decode(template["userData"]).decode()).get_payload()
    return yaml.safe_load(part.get_payload())["spec"]["kubelet"].get("flags", [])


def test_nodes_for_jobs_begin_with_its_taint_and_that_of_their_role(recorder):
    templates = recorder.by_name("aws:ec2/launchTemplate:LaunchTemplate")
    with_flags = {name: flags(template) for name, template in templates.items()}

    executors = with_flags["spark-a-executor-arm64"]
    assert executors == [f"--register-with-taints=moka.dev/role=executor:NoSchedule,{TAINT}=true:NoSchedule"]
    assert {name.split("-")[2] for name, kubelet_flags in with_flags.items() if kubelet_flags} == {
        "driver",
        "executor",
    }


def test_no_group_has_the_taint_which_eks_would_put_on_running_nodes(recorder):
    groups = recorder.inputs("eks:index:ManagedNodeGroup")

    assert all(TAINT not in {taint["key"] for taint in group.get("taints", [])} for group in groups)


def refused(recorder, everywhere):
    """Policies that refuse the DaemonSet of the page, of a configuration that is as strict but for this."""
    text = yaml.safe_dump({"everywhere": everywhere})
    configuration = load(text, RULES, "local", ("local",), TODAY, "configuration.yaml")
    kind, name = "kubernetes:apps/v1:DaemonSet", "spark-a-bootstrap-warehouse"
    inputs = recorder.by_name(kind)[name]
    resource = Resource(kind, name, f"urn:pulumi:local::moka::{kind}::{name}", inputs)
    violations = Evaluation(RULES, configuration, lambda release: []).violations(resource)
    # Where images come from is a company's own list.
    return {violation.rule.name for violation in violations if not violation.rule.name.startswith("image-")}


def test_the_policies_take_it_once_it_is_named_as_the_page_says(recorder):
    exceptions = yaml.safe_load(commands(PAGE, HEADING, 2))

    assert refused(recorder, {}) == exceptions.keys()
    assert refused(recorder, exceptions) == set()


def test_pods_of_jobs_do_not_tolerate_it_and_see_the_mount(loaded):
    job = make_job(host_mounts=yaml.safe_load(commands(PAGE, HEADING, 1))["host_mounts"])
    target = job_target(loaded, "spark-a", "event-logs", dict.fromkeys(loaded.job_namespaces, BUCKETS), None)

    for role in ("driver", "executor"):
        pod = spark_application(job, target)["spec"][role]["template"]["spec"]
        assert all(toleration.get("key") for toleration in pod["tolerations"])
        assert TAINT not in {toleration["key"] for toleration in pod["tolerations"]}
        assert pod["containers"][0]["volumeMounts"][1]["mountPropagation"] == "HostToContainer"
    assert [mistake for mistake in mistakes(job, target) if mistake.at.startswith("host_mounts")] == []


def test_all_else_that_runs_on_every_node_tolerates_it(recorder):
    daemon_sets = recorder.inputs("kubernetes:apps/v1:DaemonSet")

    assert daemon_sets
    for daemon_set in daemon_sets:
        assert {"operator": "Exists"} in daemon_set["spec"]["template"]["spec"]["tolerations"]


def test_a_node_waits_until_the_pod_identity_agent_answers_whatever_it_says():
    example = yaml.safe_load(commands(PAGE, AGENT_HEADING, 0))
    ready = example["clusters"]["spark-a"]["bootstrap"]["pod-identity"]["ready"]
    assert AGENT in ready

    with fixed_answers({}) as (port, _):
        probe = [f"http://127.0.0.1:{port}/" if word == AGENT else word for word in ready]
        assert subprocess.run(probe, check=False).returncode == 0
    assert subprocess.run(probe, check=False).returncode != 0
