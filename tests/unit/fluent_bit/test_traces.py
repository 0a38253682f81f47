"""Stack traces are one record each, and nothing is left out or changed by looking for them."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.sizes.fluent_bit import TEXT_FACTOR
from tests.support.fluent_bit_traces import records

JVM = """\
26/11/22 10:15:00 ERROR Executor: Exception in task 0.0 in stage 1.0 (TID 1)
org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2844)
\tat scala.Option.foreach(Option.scala:437)
\t... 1 more
Caused by: java.lang.IllegalStateException: no such row
\tat com.example.Rows.next(Rows.java:17)
\tSuppressed: java.io.IOException: closed
\t\tat com.example.Rows.close(Rows.java:30)
26/11/22 10:15:01 INFO DAGScheduler: Job 0 failed"""

PYTHON = """\
26/11/22 10:15:00 INFO SparkContext: Starting
Traceback (most recent call last):
  File "/app/report.py", line 12, in <module>
    frame.count()
  File "/opt/spark/python/pyspark/errors/exceptions/captured.py", line 263, in deco
    raise converted from None
pyspark.errors.exceptions.captured.PythonException: it failed
  An exception was thrown from the Python worker. Please see the stack trace below.
    ZeroDivisionError: division by zero
\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:581)
Caused by: java.io.EOFException
26/11/22 10:15:02 INFO ShutdownHookManager: Shutdown hook called"""


CHAINED = """\
Traceback (most recent call last):
  File "/app/report.py", line 3, in <module>
    rows[7]
IndexError: list index out of range

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/report.py", line 5, in <module>
    raise SystemError("no rows") from None
SystemError: no rows
26/11/22 10:15:02 INFO ShutdownHookManager: Shutdown hook called"""

RECORDED = Path(__file__).parent
"""What Spark 4.1.4 printed of a job whose Python function fails; most frames of Java left out."""


@pytest.fixture(scope="module")
def rules(configuration):
    [traces] = configuration["multiline_parsers"]
    return traces["rules"]


def of_containerd(text, stream="stderr"):
    """Lines as containerd writes them."""
    return [
        f"2026-11-22T10:15:00.{n:09}Z {stream} F {line}".encode() for n, line in enumerate(text.split("\n"))
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [(JVM, [1, 8, 1]), (PYTHON, [1, 10, 1]), (CHAINED, [11, 1])],
    ids=["of Java", "of Python, and of Java in it", "of Python, and of another in it"],
)
def test_a_trace_is_one_record(rules, text, lines):
    assert [record.count(b"\n") + 1 for record in records(rules, of_containerd(text))] == lines


def test_of_a_job_that_fails_in_python_no_trace_of_real_spark_is_cut(rules):
    lines = of_containerd((RECORDED / "pyspark.stderr").read_text().rstrip("\n"))

    heads = [record.split(b"\n")[0].split(b" ", 3)[3] for record in records(rules, lines)]

    assert len(heads) == 24
    # The head of a record is a line of the logger, or the exception that a line of the logger names.
    assert [head for head in heads if not re.match(rb"26/11/22 |(java|org)\.[\w.]+Exception: ", head)] == []


def test_of_a_driver_that_fails_in_python_the_trace_is_one_record(rules):
    lines = of_containerd((RECORDED / "pyspark.stdout").read_text().rstrip("\n"), "stdout")

    assert [record.count(b"\n") + 1 for record in records(rules, lines)] == [1, 21]


def test_lines_that_are_no_trace_are_a_record_each(rules):
    lines = of_containerd("26/11/22 10:15:00 INFO A: one\n26/11/22 10:15:01 INFO A: two")

    assert list(records(rules, lines)) == lines


def test_a_line_of_the_other_stream_ends_no_record_in_the_middle_of_a_line(rules):
    lines = [*of_containerd("java.lang.Error: x\n\tat a.b"), *of_containerd("progress", "stdout")]

    assert [record.count(b"\n") + 1 for record in records(rules, lines)] == [2, 1]


@pytest.mark.parametrize("text", [JVM, PYTHON, (RECORDED / "pyspark.stderr").read_text()])
def test_what_buffers_are_reckoned_with_is_what_json_makes_of_such_lines(rules, text):
    lines = of_containerd(text)

    kept = sum(len(json.dumps({"log": record.decode()})) + 1 for record in records(rules, lines))
    assert kept <= sum(len(line) + 1 for line in lines) * TEXT_FACTOR


TEXT = st.binary(max_size=20).map(lambda text: text.replace(b"\n", b""))
LINES = st.lists(
    st.one_of(
        TEXT,
        st.sampled_from(
            [b"T stderr F Traceback (most recent call last):", b"T stderr F  x", b"T stderr F Error"]
        ),
        st.builds(lambda flag, text: b"T stdout " + flag + b" " + text, st.sampled_from([b"P", b"F"]), TEXT),
    )
)


@given(LINES)
def test_records_are_the_lines_of_the_file_byte_for_byte_and_in_order(configuration, lines):
    [traces] = configuration["multiline_parsers"]

    assert b"\n".join(records(traces["rules"], lines)) == b"\n".join(lines)
