"""Names that pages give a reader, of policies, variables, annotations and fields: each is one, none lacks."""

import gzip
import importlib
import importlib.util
import json
import re
import subprocess
import tomllib
from dataclasses import fields
from fnmatch import fnmatchcase

import pytest
import typer
from archer.client import Archer
from archer.command_line import app as archer

from accounts.names import AccountNames, StateNames, deploy_environment, preview_environment
from conformance.environment.checks import CHECKS as ENVIRONMENT_CHECKS
from doctor.checks import CHECKS
from localcloud import project
from localcloud.cloud import REPOSITORY
from moka import names
from moka.collectors import labels
from moka.jobs.job import Job
from moka.zone_traffic import Workers, crossings, usd_a_tb
from policies.catalog import RULES
from stacks import program, settings
from stacks.layers.metrics import managed_rule_files
from stacks.settings.cluster import Cluster
from stacks.settings.shuffle import Shuffle
from tests.support.command_line import pages
from tests.support.documented import chapter, in_one_line
from tests.support.earlier_states import TODAY

PAGES = [page for page in pages() if "decisions" not in page.parts]
IDS = [str(page.relative_to(REPOSITORY)) for page in PAGES]

NOT_MODULES = {"moka.job", "stacks.layers.tracing"}
"""An attribute of spans, and what a recipe of docs/adding.md adds."""

ONE, THREE = ("a",), ("a", "b", "c")


def first_cells(page: str, heading: str) -> list[str]:
    """Names in code in the first column of a chapter's first table."""
    table = re.search(r"(?:^\|.*\n)+", chapter(page, heading), re.MULTILINE)
    assert table
    return [name for row in table[0].splitlines() for name in re.findall(r"`([\w-]+)`", row.split(" | ")[0])]


@pytest.fixture(scope="module")
def programs() -> str:
    """What is written in the programs and tests of this repository."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.yaml", "*.mk", "Makefile", "bootstrap"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(
        (REPOSITORY / name).read_text() for name in listed.stdout.split() if (REPOSITORY / name).exists()
    )


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_policy_that_a_page_names_is_one(page):
    named = re.findall(r"[Pp]olic(?:y|ies)\s+\[?((?:`[a-z-]+`(?:, | and |,\n|\s)*)+)", page.read_text())
    policies = {name for group in named for name in re.findall(r"`([a-z-]+)`", group)}

    assert policies - {rule.name for rule in RULES} == set()


def test_there_are_policies_to_look_for():
    everything = in_one_line("\n".join(page.read_text() for page in PAGES))

    assert len([rule for rule in RULES if f"olicy `{rule.name}`" in everything]) > 3


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_variable_and_annotation_that_a_page_names_is_read(page, programs):
    text = page.read_text()
    variables = set(re.findall(r"\b((?:MOKA|ARCHER)_[A-Z][A-Z_]+)\b", text))
    keys = set(
        re.findall(rf"\b(?:localcloud/|{re.escape(names.LABEL_PREFIX)})([a-z][a-z-]+)\b(?![./])", text)
    )

    assert {name for name in variables if name not in programs} == set()
    assert {
        key for key in keys if f"localcloud/{key}" not in programs and f"}}{key}" not in programs
    } == set()


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_function_and_method_that_a_page_names_is_there(page):
    text = page.read_text()
    dotted = set(re.findall(r"`((?:moka|stacks|policies)(?:\.[a-z_]+)+(?:\.[A-Z]\w+)?)[`(]", text))
    methods = set(re.findall(r"`Archer\.([a-z_]+)`", text))

    assert {name for name in dotted if not there(name) and name not in NOT_MODULES} == set()
    assert {name for name in methods if not hasattr(Archer, name)} == set()


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_output_that_a_page_names_is_one_of_its_layer(page):
    named = re.findall(r"[Oo]utput `(\w+)` of layer (\w+)", in_one_line(page.read_text()))

    assert [
        (layer, output)
        for output, layer in named
        if output not in {field.name for field in fields(program.layer_module(layer).Outputs)}
    ] == []


def there(name: str) -> bool:
    """Whether a dotted name is that of a module, or of something in one."""
    module, _, last = name.rpartition(".")
    try:
        return importlib.util.find_spec(name) is not None or hasattr(importlib.import_module(module), last)
    except ModuleNotFoundError:
        return hasattr(importlib.import_module(module), last)


def test_every_field_of_a_job_is_in_its_table():
    fields = first_cells("docs/jobs.md", "## What a job says")

    assert {field for field in fields if "." not in field} == Job.model_fields.keys()


def test_every_subject_of_the_doctor_is_in_its_table():
    assert set(first_cells("docs/operations/doctor.md", "# Doctor")) == CHECKS.keys() | {"credentials"}


def test_every_section_of_localcloud_yaml_is_in_its_table():
    sections = first_cells("docs/laptop-cloud.md", "### Programs of the project")

    assert set(sections) == project.SECTIONS.keys()


def test_labels_of_series_are_all_on_the_page_of_metrics():
    text = chapter("docs/operations/metrics.md", "## Where they go")

    assert [label for label in labels.PROMOTED if f"`{label}`" not in text] == []


def test_files_of_rules_in_a_workspace_are_on_the_page_of_metrics():
    text = chapter("docs/operations/metrics.md", "## Rules, and where alerts go")

    assert [name for name in managed_rule_files(settings.load("prod")) if f"`{name}`" not in text] == []


@pytest.mark.parametrize("page", ["docs/operations/spark.md", "docs/operations/archer.md"])
def test_roles_have_the_names_that_pages_have_policies_of_others_name(page):
    """What owners of other accounts write into their policies: of a pattern on a page there is a role."""
    state = json.loads(gzip.decompress(TODAY.read_bytes()))["deployment"]["resources"]
    roles = [one["outputs"] for one in state if one["type"] == "aws:iam/role:Role"]
    known = {"organization": "moka", "environment": "local", "cluster": "spark-a", "namespace": "spark-jobs"}
    patterns = re.findall(
        r"`(/<organization>-<environment>/[^`]*|<organization>-<environment>-<cluster>-archer)`",
        (REPOSITORY / page).read_text(),
    )

    assert patterns
    for pattern in patterns:
        filled = re.sub(r"<(\w+)>", lambda match: known[match[1]], pattern)
        assert [role for role in roles if fnmatchcase(role["path"] + role["name"], f"*{filled}")], pattern


def test_what_bootstrap_makes_has_the_names_of_its_table():
    prod = settings.load("prod")
    home = prod.foundations[prod.home_foundation]
    known = {
        "organization": prod.organization,
        "environment": prod.environment,
        "account": home.account,
        "region": home.region,
    }
    table = re.sub(r"<(\w+)>", lambda match: known[match[1]], chapter("docs/accounts.md", "## What it makes"))
    state, account = StateNames(prod), AccountNames(prod, home.account)
    roles = [arn.rpartition("/")[2] for arn in (account.deploy_role, account.preview_role)]

    expected = [
        f"`{state.bucket}`",
        f"alias `{state.key_alias}`",
        *(f"`{role}`" for role in roles),
        *(f"GitHub environment `{name(prod)}`" for name in (deploy_environment, preview_environment)),
    ]
    assert [name for name in expected if name not in table] == []


def test_every_check_of_an_environment_is_in_its_table():
    table = chapter("docs/operations/conformance.md", "## An environment, from outside")
    rows = re.findall(r"^\| ([a-z -]+?)(?:, once, of the home cluster)? \|", table, re.MULTILINE)

    assert [row for row in rows if row != "check" and "---" not in row] == [
        *(check.name for check in ENVIRONMENT_CHECKS),
        "refusals",
    ]


def test_every_command_of_archer_is_on_its_page_with_the_exit_statuses():
    text = in_one_line(chapter("docs/operations/archer.md", "## Submitting"))
    commands = typer.main.get_command(archer)

    assert {name for name in commands.commands if f"`{name}`" not in text} == {"submit"}
    assert commands.epilog.replace("Exit status:", "Exit statuses:") in text


def test_costs_of_shuffled_bytes_are_those_of_the_formula():
    rows = re.findall(
        r"^\| in (one|three) zones? \| (none|in that zone|in one|in three) \| (.+) \| (\d+) \|$",
        chapter("docs/operations/shuffle.md", "## Bytes between zones"),
        re.MULTILINE,
    )
    workers = {
        "none": None,
        "in that zone": Workers(zones=ONE, replicate=True),
        "in one": Workers(zones=ONE, replicate=True),
        "in three": Workers(zones=THREE, replicate=True),
    }

    assert len(rows) == 6
    for executors, where, times, dollars in rows:
        crossed = crossings({"one": ONE, "three": THREE}[executors], workers[where])
        assert eval(times.split(" = ")[0]) == pytest.approx(crossed)
        assert int(dollars) == round(usd_a_tb(crossed))


def test_settings_say_what_bytes_between_zones_cost_as_the_formula_does():
    one, three = (Workers(zones=zones, replicate=True) for zones in (ONE, THREE))
    times = [crossings(ONE, one), crossings(THREE, one), crossings(THREE, three)]
    cost = [f"{usd_a_tb(price):.0f}" for price in times]
    text = in_one_line(Shuffle.__doc__)

    assert re.findall(r"([\d.]+) times", text) == [f"{price:.3g}" for price in times]
    assert re.findall(r"USD (\d+)", text) == cost[1:]
    executor_zone = Cluster.model_fields["executor_zone"].description
    assert executor_zone.endswith(
        f"costs USD {usd_a_tb(crossings(THREE)):.0f}, with Celeborn {cost[1]} to {cost[2]}."
    )


def test_the_versions_that_a_reader_needs_are_those_that_are_asked_for():
    readme = (REPOSITORY / "README.md").read_text()
    [go, python] = re.findall(r"You need Go ([\d.]+) or newer, Python ([\d.]+) or newer", readme)[0]
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]

    assert declared["requires-python"].startswith(f">={python}")
    modules = list((REPOSITORY / "localcloud" / "tools").rglob("go.mod"))
    asked = [re.findall(r"^go (\d+\.\d+)", module.read_text(), re.MULTILINE)[0] for module in modules]
    assert max(asked, key=lambda version: [int(part) for part in version.split(".")]) == go
