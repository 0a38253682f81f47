"""A job as JSON Schema, so that an editor completes and checks a job file. `make schema` writes it."""

import json
from pathlib import Path

from jobs.job import Job

PATH = Path(__file__).resolve().parent / "job.schema.json"


def schema() -> str:
    """The schema, as the text of its file."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Job.model_json_schema()}
    return json.dumps(made, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema())
