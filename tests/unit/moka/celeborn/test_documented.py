"""What we tell Celeborn and ask of it, against its sources: MOKA_CELEBORN names a checkout of them."""

import os
import re
from pathlib import Path

import pytest
import yaml

from moka.celeborn import configuration as conf
from moka.celeborn.configuration import Quota

SOURCES = os.environ.get("MOKA_CELEBORN")

pytestmark = pytest.mark.skipif(
    not SOURCES, reason="MOKA_CELEBORN names no checkout of apache/celeborn at the catalog's tag"
)

PLACEHOLDERS = {"<id>": r"\d+", "<module>": r"\w+"}


@pytest.fixture(scope="module")
def documented():
    """Patterns of the settings that Celeborn documents."""
    pages = Path(SOURCES, "docs", "configuration").glob("*.md")
    rows = [line for page in pages for line in page.read_text().splitlines()]
    keys = [
        m[1].replace("&lt;", "<").replace("&gt;", ">")
        for m in map(re.compile(r"\| (celeborn\.\S+) \|").match, rows)
        if m
    ]
    assert len(keys) > 400
    patterns = []
    for key in keys:
        pattern = re.escape(key)
        for placeholder, stands_for in PLACEHOLDERS.items():
            pattern = pattern.replace(placeholder, stands_for)
        patterns.append(re.compile(pattern))
    return patterns


def test_every_setting_is_one_that_celeborn_documents(documented):
    rendered = conf.configuration("celeborn", 3, ["/mnt/disk-1"], 800, 0.2, 6, rack_aware=True)
    tenant = yaml.safe_load(conf.dynamic({"x": Quota(gib=1, files=1)}))[1]
    # Hadoop's own, which Celeborn passes on.
    keys = [key for key in (*rendered, *tenant["config"]) if not key.startswith("celeborn.hadoop.")]

    assert [key for key in keys if not any(pattern.fullmatch(key) for pattern in documented)] == []


@pytest.mark.parametrize(
    ("of", "method", "path"),
    [
        ("master", "get", "/api/v1/masters"),
        ("master", "get", "/api/v1/workers"),
        ("master", "post", "/api/v1/workers/events"),
        ("worker", "get", "/api/v1/workers"),
        ("worker", "post", "/api/v1/workers/exit"),
        ("worker", "get", "/api/v1/applications"),
    ],
)
def test_what_we_ask_of_celeborn_is_in_its_api(of, method, path):
    page = Path(SOURCES, "openapi/openapi-client/src/main/openapi3", f"{of}_rest_v1.yaml")

    assert method in yaml.safe_load(page.read_text())["paths"][path]
