"""Fluent Bit's configuration, as the component hands it over."""

from typing import Any

import pytest
import yaml

from moka import catalog
from moka.components.kubernetes.fluent_bit import SOURCES, FluentBitArgs, environment, pipeline
from stacks.settings.logs import Logs


@pytest.fixture(scope="session")
def variables() -> dict[str, str]:
    """What the pods have in their environment, those of the node by example."""
    args = FluentBitArgs(
        catalog=catalog.read(),
        namespace="logging",
        cluster="acme-prod-batch-a",
        job_namespaces=["spark-jobs", "spark-adhoc"],
        job_logs_bucket="job-logs",
        system_logs_bucket="system-logs",
        region="us-east-1",
        usage_bucket="usage",
        usage_region="us-east-1",
        size=Logs().size,
    )
    of_the_node = {"NODE": "ip-10-0-1-2.ec2.internal", "NODE_IP": "10.0.1.2"}
    return {one["name"]: one.get("value") or of_the_node[one["name"]] for one in environment(args)}


@pytest.fixture(scope="session")
def configuration(variables) -> dict[str, Any]:
    """The whole of it, with `${...}` filled in."""
    text = pipeline()
    for name, value in variables.items():
        text = text.replace(f"${{{name}}}", value)
    assert "${" not in text
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


@pytest.fixture(scope="session")
def script() -> str:
    """The Lua script that sees to bytes."""
    return (SOURCES / "bytes.lua").read_text()
