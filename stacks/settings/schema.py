"""The settings as JSON Schema, so that an editor completes and checks a settings file.

`make schema` writes it to stacks/settings.schema.json, that of a file of queues to stacks/queues.schema.json,
and docs/settings.md; what fits together is checked only when a file is read.
"""

import json
from pathlib import Path

from stacks.settings import page, queue_file
from stacks.settings.environment import Environment

PATH = Path(__file__).resolve().parent.parent / "settings.schema.json"


def schema() -> str:
    """The schema, as the text of its file."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Environment.model_json_schema()}
    return json.dumps(made, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema())
    page.PATH.write_text(page.page())
    queue_file.SCHEMA.write_text(queue_file.schema())
