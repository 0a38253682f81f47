"""The walk of an environment: what it refuses to begin, its settings meanwhile, its questions, its report."""

import json
import os
import signal
import subprocess
import sys

import pytest
import yaml
from moto import mock_aws
from typer.testing import CliRunner

from conformance.environment import checks, jobs, report
from conformance.environment.__main__ import environment
from conformance.environment.jobs import submitted
from conformance.environment.outside import Defect, Outside
from conformance.environment.versions import TrialSettings, earlier, upgraded
from conformance.environment.walk import Result, Walk
from localcloud.__main__ import SIMULATED
from localcloud.cloud import REPOSITORY
from moka.machines.node_roles import kubelet_config
from moka.names import NODE_GROUP_LABEL
from stacks.settings import load
from tests.support.jobs import make_job_target

SETTINGS = """
clusters:
  a:
    version: "1.35"   # of EKS
    node_groups:
      system: {role: system, instance_types: [m7g.large]}
      driver: {role: driver, instance_types: [r7g.large], generation: 3}
  b: {version: "1.33", node_groups: {}}
"""


def app(*arguments):
    import typer

    command = typer.Typer()
    command.command()(environment)
    return CliRunner().invoke(command, [*arguments])


def test_an_environment_that_keeps_what_it_is_taken_down_from_is_refused():
    refused = app("prod", "--yes")

    assert refused.exit_code == 2
    assert (
        "prod retains what it is taken down from: take an environment with `retain: false`." in refused.output
    )


def test_an_environment_of_another_account_is_refused():
    refused = app("test", "--yes", "--account", "999900001111")

    assert refused.exit_code == 2
    assert "test is in account 111122223333, not 999900001111: nothing was made." in refused.output


def test_an_environment_that_there_is_not_is_one_sentence():
    refused = app("tset", "--yes")

    assert refused.exit_code == 2
    assert "Environment 'tset' has no settings file" in refused.output


def test_clusters_begin_one_version_earlier_where_its_add_ons_are_known():
    settings = yaml.safe_load(SETTINGS)

    assert [cluster["version"] for cluster in earlier(settings)["clusters"].values()] == ["1.34", "1.33"]


def test_an_upgrade_has_another_generation_of_groups_whose_machines_stay():
    groups = upgraded(yaml.safe_load(SETTINGS))["clusters"]["a"]["node_groups"]

    assert groups["system"] == {"role": "system", "instance_types": ["m7g.large"]}
    assert groups["driver"]["generation"] == 4
    assert groups["driver"]["retiring"] == {3: {"instance_types": ["r7g.large"]}}


def test_the_settings_are_as_they_were_after_a_walk_and_after_one_that_was_killed(tmp_path):
    file = tmp_path / "stacks.yaml"
    file.write_text(SETTINGS)
    trial = TrialSettings(file, tmp_path / ".local" / "kept.yaml")

    trial.begin()
    assert yaml.safe_load(file.read_text())["clusters"]["a"]["version"] == "1.34"
    assert trial.begun and trial.upgrades
    trial.upgrade()
    assert yaml.safe_load(file.read_text())["clusters"]["a"]["version"] == "1.35"
    # Killed here; the next one begins again.
    again = TrialSettings(file, trial.kept)
    again.begin()
    again.end()
    assert file.read_text() == SETTINGS
    again.forget()
    assert not again.begun


def test_what_the_laptop_lacks_are_checks():
    assert yaml.safe_load(SIMULATED.read_text()).keys() < {check.name for check in checks.CHECKS}


def test_a_report_has_a_line_for_each_and_says_what_was_simulated():
    results = [
        Result(of="up", outcome="passed", seen="dev with Kubernetes 1.34", seconds=60),
        Result(of="nodes", outcome="failed", seen="group a has 1 of 2", seconds=1, cluster="main"),
        Result(of="logs", outcome="simulated", seen="no container runs", seconds=0, cluster="main"),
    ]

    assert report.text("dev", results, "It cost nothing.").splitlines() == [
        "passed     up          dev with Kubernetes 1.34",
        "failed     main nodes  group a has 1 of 2",
        "simulated  main logs   no container runs",
        "",
        "dev: 1 passed, 1 failed, 1 simulated, in 1 minutes.",
        "It cost nothing.",
    ]
    shown = json.loads(report.as_json("dev", results, "It cost nothing."))
    assert [result["outcome"] for result in shown["results"]] == ["passed", "failed", "simulated"]


class Recorded(Outside):
    """A cluster whose answers are recorded."""

    answers: dict
    eks: object

    def ask(self, method, path, body=None, **query):
        self.asked.append((method, path, body))
        return self.answers.get(path)

    def aws(self, service):
        return self.eks

    @property
    def eks_name(self):
        return "moka-local-spark-a"


class Eks:
    """EKS's answers about one group of two machines."""

    status = "ACTIVE"

    def list_nodegroups(self, clusterName):
        return {"nodegroups": ["system"]}

    def describe_nodegroup(self, clusterName, nodegroupName):
        return {"nodegroup": {"status": self.status, "scalingConfig": {"desiredSize": 2}}}


def recorded(nodes, status="ACTIVE"):
    outside = Recorded(load("local"), "spark-a", {"spark/spark-a": {"jobs": make_job_target().as_outputs()}})
    eks = Eks()
    eks.status = status
    for name, value in {"answers": {"/api/v1/nodes": {"items": nodes}}, "eks": eks, "asked": []}.items():
        object.__setattr__(outside, name, value)
    return outside


def node(ready="True"):
    labels = {"eks.amazonaws.com/nodegroup": "system"}
    return {"metadata": {"labels": labels}, "status": {"conditions": [{"type": "Ready", "status": ready}]}}


def test_a_node_that_did_not_join_or_is_not_ready_is_missed():
    assert checks.nodes(recorded([node(), node()])) == "2 nodes in 1 groups are ready"
    for nodes in ([node()], [node(), node("False")]):
        with pytest.raises(Defect, match="node group system has 1 ready nodes of 2"):
            checks.nodes(recorded(nodes))
    with pytest.raises(Defect, match="node group system is DEGRADED"):
        checks.nodes(recorded([node(), node()], "DEGRADED"))


def machine(group, pods):
    labels = {NODE_GROUP_LABEL: group}
    return {"metadata": {"name": f"{group}-1", "labels": labels}, "status": {"capacity": {"pods": pods}}}


def test_a_node_that_takes_other_than_so_many_pods_is_named():
    groups = load("local").clusters["spark-a"].node_groups
    own = [machine(name, str(kubelet_config(g.role, g.max_pods)["maxPods"])) for name, g in groups.items()]

    assert checks.pods_a_node(recorded(own)) == f"{len(groups)} nodes take as many as their groups say"
    with pytest.raises(Defect, match="node system-1 takes 250 pods, and its launch template says 110"):
        checks.pods_a_node(recorded([*own, machine("system", "250")]))


def test_its_job_is_one_that_the_platform_takes():
    outside = recorded([])

    submitted(outside, "conformance-pi", jobs.PI, "100")

    [(path, application)] = [(path, body) for method, path, body in outside.asked if method == "POST"]
    assert path == "/apis/sparkoperator.k8s.io/v1beta2/namespaces/science/sparkapplications"
    assert application["kind"] == "SparkApplication"
    assert application["spec"]["arguments"] == ["100"]


def test_a_client_that_fails_is_a_finding_and_all_goes_again(monkeypatch, tmp_path):
    settings = tmp_path / "dev.yaml"
    settings.write_text(SETTINGS)
    walk = Walk("local", ["false"], {}, lambda line: None)

    results = walk.run(TrialSettings(settings, tmp_path / "kept.yaml"))

    assert [(result.of, result.outcome) for result in results] == [("up", "failed"), ("down", "failed")]
    assert results[0].seen == "pulumi up of local failed with status 1, as it says above"
    assert settings.read_text() == SETTINGS


def test_nothing_is_made_with_credentials_of_another_account(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")

    with mock_aws():
        refused = app("test", "--yes", "--account", "111122223333")

    assert refused.exit_code == 2
    assert refused.output == (
        "The credentials are of account 123456789012, not 111122223333: nothing was made.\n"
    )


def test_what_a_walk_left_that_was_killed_goes_first(tmp_path):
    settings = tmp_path / "dev.yaml"
    settings.write_text(SETTINGS)
    walk = Walk("local", ["false"], {}, lambda line: None)

    results = walk.run(TrialSettings(settings, tmp_path / "kept.yaml"), left=True)

    assert [result.of for result in results] == ["clear away", "down"]


# A pulumi that takes a moment to end what is under way when it is interrupted, and one to begin: who started
# it waits for it by then.
PULUMI = """
echo {verb} >>STEPS
test {verb} = destroy && exit
trap 'sleep 1; echo ended >>STEPS; exit 1' INT
sleep 1
echo ready
while :; do sleep 0.1; done
"""

INTERRUPTED = """
from pathlib import Path
from conformance.environment.versions import TrialSettings
from conformance.environment.walk import Walk

walk = Walk("local", ["bash", "-c", Path("pulumi").read_text()], {}, print)
walk.run(TrialSettings(Path("dev.yaml"), Path("kept.yaml")))
"""


def test_an_interrupted_walk_takes_down_once_pulumi_has_ended(tmp_path):
    steps = tmp_path / "steps"
    (tmp_path / "dev.yaml").write_text(SETTINGS)
    (tmp_path / "pulumi").write_text(PULUMI.replace("STEPS", str(steps)))

    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A shell that runs the tests in the background has it ignored, by all that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        text=True,
    ) as walk:
        assert walk.stderr.readline() == "ready\n"
        os.killpg(walk.pid, signal.SIGINT)
        walk.communicate()

    assert steps.read_text().split() == ["up", "ended", "destroy"]
    assert (tmp_path / "dev.yaml").read_text() == SETTINGS
