"""What the engine says where policies cannot be asked, and what it shows of charts."""

import json
import shutil

import pytest
import yaml

from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from policies.pack.configuration import FILE
from tests.policies.test_charts import deployment

EXPIRED = {
    "rule": "key-rotates",
    "environments": ["prod"],
    "resource": "Key::main",
    "reason": "Its material is imported, and is changed by hand every spring.",
    "owner": "@security",
    "expires": "2026-01-01",
}


@pytest.fixture
def pack(tmp_path):
    """A copy of the pack with another configuration."""

    def write(content):
        folder = tmp_path / "policies"
        shutil.copytree(REPOSITORY / "policies", folder, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("moka", "aws_rules"):
            (tmp_path / name).symlink_to(REPOSITORY / name)
        description = (folder / "PulumiPolicy.yaml").read_text()
        venv = str(REPOSITORY / ".local" / "venv")
        (folder / "PulumiPolicy.yaml").write_text(description.replace("../.local/venv", venv))
        (folder / "configuration.yaml").write_text(content)
        return folder

    return write


def test_with_an_exception_that_has_expired_nothing_ships(previewed, pack):
    content = yaml.safe_dump({**yaml.safe_load(FILE.read_text()), "exceptions": [EXPIRED]})

    result = previewed("staging.shared", pack=pack(content))

    assert result.returncode != 0
    assert "[mandatory]  policy-configuration" in result.stdout
    assert (
        "exceptions.0.expires: the exception of Key::main from key-rotates expired on 2026-01-01"
        in result.stdout
    )


@pytest.fixture(scope="module")
def warned(previewed):
    """What a preview of the day before support of Kubernetes ends prints: it warns, and refuses nothing."""
    result = previewed("local", MOKA_AS_OF="2027-03-26")
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    return result.stdout


def test_the_end_of_support_is_told_on_the_day_that_is_named(warned):
    assert "[advisory]  cluster-version-ends-soon" in warned
    assert "Standard support of Kubernetes 1.35 ends on 2027-03-27" in warned


def test_a_chart_that_cannot_be_had_is_said_not_to_be_checked(warned):
    assert "[advisory]  chart-rendered  (kubernetes:helm.sh/v3:Release: spark-a-yunikorn)" in warned
    assert "What is inside release spark-a-yunikorn of chart yunikorn is not checked: " in warned


def test_with_a_rule_of_one_run_that_does_not_exist_nothing_ships(previewed, tmp_path):
    levels = tmp_path / "levels.json"
    levels.write_text(json.dumps({"key-rotate": "advisory"}))

    result = previewed("staging.shared", config=levels)

    assert result.returncode != 0
    assert "key-rotate" in result.stdout + result.stderr


def test_a_violation_inside_a_chart_is_refused_with_its_release(previewed, tmp_path):
    templates = tmp_path / "kube-state-metrics" / "templates"
    templates.mkdir(parents=True)
    (templates.parent / "Chart.yaml").write_text("apiVersion: v2\nname: kube-state-metrics\nversion: 8.4.0\n")
    (templates / "all.yaml").write_text(yaml.safe_dump(deployment(hostNetwork=True)))

    result = previewed("local", MOKA_CHARTS=str(tmp_path))

    assert result.returncode != 0
    assert (
        "[mandatory]  no-host-namespaces  (kubernetes:helm.sh/v3:Release: spark-a-kube-state-metrics)"
        in result.stdout
    )
    assert "Deployment exporter of chart kube-state-metrics" in result.stdout


def test_up_makes_nothing_where_a_chart_cannot_be_had_and_that_is_not_relaxed(cloud, tmp_path, capfd):
    engine = Engine(cloud)
    levels = tmp_path / "levels.json"
    levels.write_text(json.dumps({"chart-rendered": "mandatory"}))
    policies = ("--policy-pack", "policies", "--policy-pack-config", str(levels))

    assert commands.up(engine, "local", (*policies, "--non-interactive"), brief=True) != 0

    output = capfd.readouterr()
    assert "[mandatory]  chart-rendered" in output.out + output.err
    assert not engine.resources("local")
