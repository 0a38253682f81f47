"""The job that asks the history by Spark, examples/jobs/usage_questions.py, as real Spark runs it."""

import os
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from localcloud.cloud import REPOSITORY
from tests.support.spark_releases import python_path, spark_home

PROGRAM = REPOSITORY / "examples" / "jobs" / "usage_questions.py"


def command(
    folder: Path, *arguments: str, threads: int = 2, heap: str = "1g", conf: Mapping[str, str] | None = None
) -> list[str]:
    """That submits it, with no more of `moka` than it is given, which is put into a folder.

    heap: of its JVM.
    """
    properties = {"spark.ui.enabled": "false", "spark.local.dir": str(folder), **(conf or {})}
    return [
        *(str(spark_home() / "bin" / "spark-submit"), "--master", f"local[{threads}]"),
        *("--driver-memory", heap),
        *(part for name, value in properties.items() for part in ("--conf", f"{name}={value}")),
        *("--py-files", str(_as_wheel(folder)), str(PROGRAM), *arguments),
    ]


def environment() -> dict[str, str]:
    """Of the command."""
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(map(str, python_path())),
    }


def _as_wheel(folder: Path) -> Path:
    """`moka` as the package has it."""
    archive = folder / "moka.zip"
    with zipfile.ZipFile(archive, "w") as wheel:
        for file in sorted((REPOSITORY / "moka").rglob("*")):
            if file.suffix in (".py", ".sql"):
                wheel.write(file, file.relative_to(REPOSITORY))
    return archive
