"""The smallest of the real environments, on the laptop as `make up STACK=test ON=laptop` brings it up."""

import sys

from localcloud import commands, report
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine


def test_test_comes_up_whole_and_nothing_is_written_into_its_files(tmp_path, module, pulumi, monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "3")
    file = REPOSITORY / "stacks" / "Pulumi.test.yaml"
    before = file.read_text()
    engine = Engine(Cloud(tmp_path / "cloud"))
    cloud = [sys.executable, "-m", "localcloud", "up", "--stack", "{stack}", "--", "--non-interactive"]
    try:
        up = module(engine, "commands.rollout", "test", "--", *cloud)

        assert up.returncode == 0, up.stdout + up.stderr
        copy = str(engine.config_file("test"))
        pulumi(engine, "preview", "--stack", "test", "--config-file", copy, "--expect-no-changes")
        assert [cluster["name"] for cluster in report.facts(engine)["clusters"]] == ["acme-test-main"]
        assert file.read_text() == before
    finally:
        commands.stop(engine)
