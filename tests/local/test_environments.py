"""The smallest of the real environments, on the laptop as `make up STACK=test ON=laptop` brings it up."""

import sys

from localcloud import commands, report
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from tests.support.pulumi_stack import PulumiStack, moka, succeeded


def test_test_comes_up_whole_and_nothing_is_written_into_its_files(tmp_path, monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "3")
    file = REPOSITORY / "stacks" / "Pulumi.test.yaml"
    before = file.read_text()
    engine = Engine(Cloud(tmp_path / "cloud"))
    cloud = [sys.executable, "-m", "localcloud", "up", "--stack", "{stack}", "--", "--non-interactive"]
    try:
        succeeded(moka(engine, "rollout", "test", "--", *cloud))

        PulumiStack(engine, "test").expect_no_changes()
        assert [cluster["name"] for cluster in report.facts(engine)["clusters"]] == ["acme-test-main"]
        assert file.read_text() == before
    finally:
        commands.stop(engine)
