"""Files generated from the models: JSON Schemas, by which an editor completes and checks a file, and pages.

`make schema` writes them. Whether values fit each other is checked only when a file is read.
"""

from collections.abc import Mapping
from pathlib import Path

from moka.allocation.plan import PLAN_FILE
from moka.jobs.job_file import JOB_FILE
from moka.queues.queue_file import QUEUE_FILE
from policies import page as policies_page
from stacks import layer_page
from stacks.settings import page
from stacks.settings.reading import FOLDER, SETTINGS

REPOSITORY = FOLDER.parent


def generated_files() -> Mapping[Path, str]:
    """Path of each generated file, and its text."""
    return {
        FOLDER / "settings.schema.json": SETTINGS.schema(),
        FOLDER / "queues.schema.json": QUEUE_FILE.schema(),
        REPOSITORY / "moka" / "jobs" / "job.schema.json": JOB_FILE.schema(),
        REPOSITORY / "moka" / "allocation" / "plan.schema.json": PLAN_FILE.schema(),
        REPOSITORY / "docs" / "settings.md": page.page(),
        REPOSITORY / "docs" / "layers.md": layer_page.page(),
        REPOSITORY / "docs" / "policies.md": policies_page.page(),
    }
