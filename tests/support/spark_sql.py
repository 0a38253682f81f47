"""Statements of SQL, run by real Spark in a process of its own."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.spark_releases import spark_home

PROGRAM = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"
"""What Spark's `spark-sql` starts."""

JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
"""With one level there are 48 MiB for code, not 240: many questions fill them, which the JVM prints."""


def spark_sql(
    folder: Path,
    conf: Mapping[str, str],
    statements: Sequence[str],
    *,
    jars: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
) -> list[str]:
    """What the laptop's Spark prints of statements, a line each row."""
    folder.mkdir(parents=True, exist_ok=True)
    properties = {**conf, "spark.ui.enabled": "false"}
    (folder / "sql.properties").write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    home = spark_home()
    command: list[str | Path] = [
        *(home / "bin" / "spark-submit", "--master", "local[1]", "--driver-memory", "512m"),
        *("--driver-java-options", JVM),
        *("--properties-file", folder / "sql.properties"),
        *(("--jars", ",".join(map(str, jars))) if jars else ()),
        *("--class", PROGRAM, "spark-internal", "-e", "; ".join(statements)),
    ]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", **(variables or {})}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    reasons = "\n".join(line for line in done.stderr.splitlines() if "Exception:" in line)
    assert done.returncode == 0, f"{reasons}\n{done.stderr[-3000:]}"
    return done.stdout.splitlines()
