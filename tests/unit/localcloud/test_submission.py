from pathlib import Path

import pytest

from localcloud import submission

# Stands for spark-submit: it makes what the JVMs would be told to make at their end.
KEEPS = """#!/bin/sh
echo run >> "$SPARK_HOME/runs"
for options in "$SPARK_SUBMIT_OPTS" "$SPARK_LAUNCHER_OPTS"; do echo classes > "${options##*=}"; done
"""
CANNOT = """#!/bin/sh
echo run >> "$SPARK_HOME/runs"
echo "Unrecognized VM option 'ArchiveClassesAtExit'" >&2
exit 1
"""


@pytest.fixture
def spark(monkeypatch, tmp_path):
    """Make a Spark of which there is spark-submit alone, and a Java that says its version."""
    monkeypatch.setenv("MOKA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))

    def script(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def make(submits, java="17.0.15"):
        script(tmp_path / "jdk" / "bin" / "java", f"#!/bin/sh\necho {java} >&2\n")
        script(tmp_path / "spark" / "bin" / "spark-submit", submits)
        return tmp_path / "spark"

    return make


def runs(spark):
    return (spark / "runs").read_text().count("run")


def test_classes_are_kept_once_and_anew_for_another_java(spark):
    home = spark(KEEPS)

    submission.make_archives(home, print)
    submission.make_archives(home, print)
    assert runs(home) == 1
    submission.make_archives(spark(KEEPS, java="17.0.16"), print)

    assert runs(home) == 2
    for options in submission.environment(home, {}).values():
        archive = options.split()[0].removeprefix("-XX:SharedArchiveFile=")
        assert Path(archive).read_text() == "classes\n"


def test_a_java_that_keeps_no_classes_is_told_of_and_nothing_is_left(spark):
    messages = []
    home = spark(CANNOT)

    submission.make_archives(home, messages.append)

    assert "Unrecognized VM option 'ArchiveClassesAtExit'" in messages[-1]
    assert not list(submission.archives_of(home).glob("*.jsa"))
