"""Previews of this project with its policies, on a laptop cloud where nothing is up."""

import json

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = f"""import os, runpy, sys
sys.path.insert(0, {str(REPOSITORY)!r})
from tests.local.policies.broken import broken
if name := os.environ.get("BROKEN"):
    broken(name)
runpy.run_path({str(REPOSITORY / "__main__.py")!r}, run_name="__main__")
"""


@pytest.fixture(scope="session")
def previewed(cloud, tmp_path_factory):
    """Preview a stack of this project with its policies: what `pulumi` printed and how it ended."""
    folder = tmp_path_factory.mktemp("policies")
    project = write_project(folder / "moka", PROGRAM)
    engine = Engine(cloud, project)
    # Charts cannot be reached here.
    levels = folder / "levels.json"
    levels.write_text(json.dumps({"chart-rendered": "advisory"}))

    def preview(stack="local", *arguments, config=levels, pack=REPOSITORY / "policies", **variables):
        engine.select(stack)
        environment, _, piece = stack.partition(".")
        settings = ["--config", f"moka:environment={environment}", "--config", f"moka:slice={piece}"]
        policies = ["--policy-pack", str(pack), "--policy-pack-config", str(config)]
        return PulumiStack(engine, stack).try_run("preview", *settings, *policies, *arguments, **variables)

    return preview
