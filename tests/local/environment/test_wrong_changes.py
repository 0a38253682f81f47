"""What policies and reports catch of wrong changes of `local`, in previews of the real engine."""

import json
import re
from functools import cache

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from tests.support.previews import STREAM
from tests.support.pulumi_project import copy_project
from tests.support.pulumi_stack import PulumiStack, moka
from tests.wrong_changes.in_previews import CHANGES, settings_of

PACK = (
    "--policy-pack",
    str(REPOSITORY / "policies"),
    "--policy-pack-config",
    str(REPOSITORY / "policies" / "laptop.json"),
)

REGISTER = f"""import os, sys
sys.path.append({str(REPOSITORY)!r})
from tests.wrong_changes.in_previews import register
register(int(os.environ["WRONG_PREVIEW"]))
"""
"""What the program does before anything of its own."""

REFUSES = re.compile(r"Policy `([\w-]+)` refuses it")


@pytest.fixture(scope="module")
def findings(local, tmp_path_factory):
    """Sentences of the report on a preview of wrong changes, by their weight."""

    @cache
    def report(preview: int) -> dict[str, list[str]]:
        project = copy_project(tmp_path_factory.mktemp("wrong") / "project")
        main, file = project / "__main__.py", project / "stacks" / "local.yaml"
        main.write_text(f"{REGISTER}{main.read_text()}")
        file.write_text(settings_of(preview, file.read_text()))
        stack = PulumiStack(Engine(local.cloud, project), "local")
        copy = str(stack.engine.config_file("local"))
        options = ("--json", "--config-file", copy, *PACK)
        result = stack.try_run("preview", *options, **STREAM, WRONG_PREVIEW=str(preview))
        stream = project / "preview.json"
        stream.write_text(result.stdout)
        answer = moka(stack.engine, "report", str(stream), "--json")
        weights: dict[str, list[str]] = {
            "failed": [answer.stderr + result.stderr] if answer.returncode != 3 else []
        }
        for section in json.loads(answer.stdout or '{"sections": {}}')["sections"].values():
            for finding in section["findings"]:
                weights.setdefault(finding["weight"], []).append(finding["says"])
        return weights

    return report


@pytest.mark.parametrize("wrong", CHANGES, ids=lambda wrong: f"{wrong.subject}: {wrong.change}")
def test_a_wrong_change_is_named(findings, wrong):
    sentences = findings(wrong.preview)

    assert not sentences["failed"]
    if wrong.caught == "policy":
        assert wrong.says in REFUSES.findall("\n".join(sentences.get("stop", [])))
    else:
        assert any(wrong.says in sentence for sentence in sentences.get(wrong.weight, [])), sentences
