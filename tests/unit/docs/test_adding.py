"""The recipes of docs/adding.md, with the code that they show."""

import re
import shutil
import subprocess
import sys
import textwrap
from types import ModuleType

import pytest

from localcloud.cloud import REPOSITORY
from moka import names
from moka.documents import DocumentKind
from policies.pack.resource import Resource
from policies.pack.rule import Parameters, Subject, Violations
from stacks import layer_table, program, settings, slices
from tests.policies.cases.case import a, failing, passing

TEXT = (REPOSITORY / "docs" / "adding.md").read_text()


def code_blocks(heading: str) -> list[str]:
    """The indented blocks of a section that are Python, without their indentation."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"(?:^(?:       .*)?\n)+", section, re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") for block in blocks if block.strip()]


@pytest.fixture
def tracing(monkeypatch):
    """The layer of the recipe, in the table and as a module."""
    row, source = code_blocks("A layer")[:2]
    monkeypatch.setattr(names, "TRACING_NAMESPACE", "tracing", raising=False)
    layer = eval(row.rstrip(","), {"Layer": layer_table.Layer})
    module = ModuleType(f"stacks.layers.{layer.name}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(source, vars(module))
    monkeypatch.setitem(layer_table.LAYERS, layer.name, layer)
    return layer


def test_the_layer_of_the_recipe_is_deployed_with_the_others(tracing, deploy):
    local = settings.load("local")

    recorded = deploy(lambda: program.deploy(local, slices.slice_named(local, "")))

    assert "spark-a-tracing" in recorded.by_name("kubernetes:core/v1:Namespace")


def test_the_layer_of_the_recipe_is_one_that_slices_may_name(tracing):
    text = settings.path_of("local").read_text()
    sliced = f"{text}\nslices:\n  base: {{layers: [foundation]}}\n  rest: {{clusters: [spark-a]}}\n"

    pieces = slices.slices(settings.parse(sliced, "stacks/local.yaml"))

    assert slices.Unit("tracing", "spark-a") in pieces["rest"].units


def test_the_setting_of_the_recipe_is_read_and_described():
    [field] = code_blocks("A setting")[:1]
    source = f"class Example(Section):\n    '''An example.'''\n\n    {field}\n"
    namespace: dict = {}
    exec(f"from pydantic import Field\nfrom moka.documents import Section\n{source}", namespace)
    kind = DocumentKind(model=namespace["Example"], example="x", noun="settings")

    assert kind.validate({"spare_nodes": 3}, "x").spare_nodes == 3
    assert "Nodes kept empty" in kind.schema()


def test_the_policy_of_the_recipe_judges_its_cases():
    source, cases = code_blocks("A policy")[:2]
    subject = Subject("network", "What can be reached from where")
    known = {"NETWORK": subject, "Resource": Resource, "Parameters": Parameters, "Violations": Violations}
    exec(source, known)
    [rule] = subject.rules

    for case in eval(cases, {"a": a, "passing": passing, "failing": failing}):
        [resource] = case.resources
        sentences = list(rule.check(resource, {**rule.parameters, **case.parameters}))

        assert [case.says in sentence for sentence in sentences] == [True] * case.refused
    assert rule.title == "Load balancers listen with TLS."


def test_the_service_of_the_recipe_runs(tmp_path):
    files = dict(re.findall(r"`(services/census/\w+\.py)`:\n\n```python\n(.*?)```", TEXT, re.DOTALL))
    for package in ("moka", "services/common"):
        shutil.copytree(REPOSITORY / package, tmp_path / package)
    (tmp_path / "services" / "__init__.py").touch()
    for path, source in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(source)

    ran = subprocess.run(
        [sys.executable, "-m", "services.census", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert len(files) == 2
    assert ran.returncode == 0, ran.stderr
    assert "--seconds" in ran.stdout
