"""CloudFormation's schemas of AWS's types, region by region, as cfn-lint carries them."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HOME_REGION = "us-east-1"
"""Region whose schemas say what is the same everywhere."""


@cache
def types_of(region: str) -> Mapping[str, str] | None:
    """Type -> file of its schema, for the types that a region has; None for a region that is not known."""
    file = _data() / "providers" / f"{region}.json"
    return json.loads(file.read_text()) if file.is_file() else None


@cache
def document(type: str, region: str = HOME_REGION) -> dict[str, Any]:
    """The schema of a type in a region that has it."""
    files = types_of(region) or {}
    content: dict[str, Any] = json.loads((_data() / "resources" / f"{files[type]}.json").read_text())
    return content


@cache
def instance_types() -> Mapping[str, frozenset[str]]:
    """Region -> the types of instances that it offers."""
    file = _data() / "extensions" / "aws_ec2_instance" / "instancetype_enum.json"
    content = json.loads(file.read_text())
    return {
        region: frozenset(entry["enum"])
        for region, entry in content.items()
        if isinstance(entry, dict) and "-" in region
    }


@cache
def database_versions() -> Mapping[str, frozenset[str]]:
    """Engine -> its versions that a cluster of RDS may have."""
    file = _data() / "extensions" / "aws_rds_dbcluster" / "engine_version.json"
    rules = [
        (rule["if"]["properties"]["Engine"].get("const"), rule["then"]["properties"].get("EngineVersion", {}))
        for rule in json.loads(file.read_text())["allOf"]
    ]
    return {engine: frozenset(versions.get("enum", ())) for engine, versions in rules if engine}


@cache
def _data() -> Path:
    # cfn-lint itself is not loaded: it takes seconds.
    spec = find_spec("cfnlint")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            "cfn-lint, which has the schemas of AWS's types, is missing: run `make setup`."
        )
    return Path(spec.submodule_search_locations[0]) / "data" / "schemas"
