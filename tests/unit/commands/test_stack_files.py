import pytest
import yaml

from stacks import stack_files, waves
from tests.support.sliced_environment import sliced_environment


def test_stacks_without_a_pulumi_file_get_one_and_others_stay_as_they_are(moka, monkeypatch, tmp_path):
    monkeypatch.setattr(waves, "load", lambda _: sliced_environment())
    monkeypatch.setattr(stack_files, "path_of", lambda _: tmp_path / "local.yaml")
    (tmp_path / "Pulumi.local.a.yaml").write_text("mine")

    result = moka("stack-files", "local")

    assert result.status == 0
    assert result.out.splitlines() == [f"stacks/Pulumi.local.{name}.yaml" for name in ("shared", "b", "c")]
    config = yaml.safe_load((tmp_path / "Pulumi.local.b.yaml").read_text())["config"]
    assert config == {"moka:environment": "local", "moka:slice": "b"}
    assert (tmp_path / "Pulumi.local.a.yaml").read_text() == "mine"


@pytest.mark.parametrize("stack", ["nowhere", "prod.nowhere"])
def test_a_stack_that_does_not_exist_is_refused(moka, stack):
    result = moka("stack-files", stack)

    assert (result.status, result.out) == (1, "")
    assert "nowhere" in result.err
