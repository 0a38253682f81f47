"""Writes what Archer's client has from its service: `openapi.json`, and types of what it answers.

`make schema` runs it.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENT = Path(__file__).parent / "archer"
DOCUMENT, MODELS = CLIENT / "openapi.json", CLIENT / "models.py"

HEADER = '"""Types of what Archer takes and answers: made of openapi.json by `make schema`."""'


def document() -> str:
    """The OpenAPI document, as the service serves it."""
    from services.archer.service.app import application
    from services.archer.service.app import document as document_of

    # No operation is run: none needs what the service is made of.
    return json.dumps(document_of(application(None)), indent=2, sort_keys=True) + "\n"  # type: ignore[arg-type]


def models(document: Path) -> str:
    """The types of a document's schemas."""
    command = [
        *(sys.executable, "-m", "datamodel_code_generator", "--input", str(document)),
        *("--input-file-type", "openapi", "--openapi-scopes", "schemas"),
        *("--output-model-type", "typing.TypedDict", "--target-python-version", "3.11"),
        *("--use-schema-description", "--use-field-description", "--use-double-quotes"),
        *("--custom-file-header", HEADER, "--formatters", "builtin"),
    ]
    source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(MODELS), "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return formatted.stdout


def main() -> None:
    """Write both."""
    sys.path.insert(0, str(ROOT))
    DOCUMENT.write_text(document())
    MODELS.write_text(models(DOCUMENT))


if __name__ == "__main__":
    main()
