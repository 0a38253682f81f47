"""The API reference: every component and argument of it says what it is, and the pages are built."""

import dataclasses
import html
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from localcloud.cloud import REPOSITORY
from moka.components.kubernetes.service import Service
from moka.components.provider.component_index import offers
from moka.components.provider.forms import described_fields, records

OFFERS = list(offers().values())
RECORDS = sorted({record.kind for offer in OFFERS for record in records(offer.inputs)}, key=repr)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_argument_says_what_it_is(kind):
    fields = {field.name for field in dataclasses.fields(kind)}

    assert fields - described_fields(kind).keys() == set()
    assert described_fields(kind).keys() - fields == set(), "of what it does not have"


@pytest.mark.parametrize("offer", OFFERS, ids=lambda offer: offer.token)
def test_every_component_says_what_it_makes_and_gives(offer):
    # What services have in common is said once, with the class that they are of.
    text = "\n".join(
        inspect.getdoc(kind) or "" for kind in offer.component.__mro__ if kind.__module__.startswith("moka.")
    )

    assert "Makes" in text
    assert [name for name in offer.outputs if f"`{name}`" not in text] == []


@pytest.mark.parametrize("offer", OFFERS, ids=lambda offer: offer.token)
def test_the_pulumi_type_that_a_docstring_says_is_the_one_registered(offer):
    assert inspect.getdoc(offer.component).startswith(f"Pulumi type `{offer.token}`")
    # A service registers the type that its own name gives, which the recorded states of `local` have.
    if not issubclass(offer.component, Service):
        assert f'super().__init__("{offer.token}", ' in inspect.getsource(offer.component)


def test_every_type_that_the_library_exports_is_known(tmp_path):
    """As a type checker sees it that is not ours, in a program that has `moka` installed."""
    programs = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
    }

    # What other packages leave open is theirs to say.
    checked = subprocess.run(
        (programs / "basedpyright", "--verifytypes", "moka", "--ignoreexternal", "--outputjson"),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )

    found = json.loads(checked.stdout)["typeCompleteness"]
    unknown = [
        symbol["name"] for symbol in found["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]
    ]
    assert (unknown, found["completenessScore"]) == ([], 1)
    assert found["exportedSymbolCounts"]["withKnownType"] > 3000


def test_the_pages_are_built_without_a_warning(tmp_path):
    command = (sys.executable, "packages/reference.py", str(tmp_path))

    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "moka" / "components" / "aws" / "flow_logs.html").read_text()
    assert "<li><strong>vpc_id</strong>: whose traffic.</li>" in page
    assert "vpc_id: pulumi.Input[str]" in html.unescape(re.sub(r"<[^>]+>", "", page))


def test_what_has_no_docstring_is_named():
    program = """
import runpy, sys
import moka.sizes.history as history
history.HistorySize.__doc__ = None
built = runpy.run_path("packages/reference.py", run_name="reference")
print(*built["_undocumented"](built["pdoc"].doc.Module(history)))
"""

    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True)

    assert "moka.sizes.history.HistorySize" in done.stdout, done.stderr
