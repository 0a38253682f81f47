"""Asks the history of what was used: the questions of moka/usage/questions, by Spark.

usage-questions.yaml starts it. `moka` is among its Python files: the wheel of `make package`, as `moka.zip`.
"""

import argparse

from pyspark.sql import SparkSession

from moka.usage import places
from moka.usage.questions import QUESTIONS, QueryScope, shared_views, spark_views
from moka.usage.records import TABLES


def main() -> None:
    """Ask, and write a folder of answers a question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--history", required=True, help="URL of the bucket, or of a folder laid out like it")
    parser.add_argument("--asked", required=True, help="URL of what `moka usage asked` printed")
    parser.add_argument("--to", required=True, help="URL of a folder, in which each answer gets one")
    parser.add_argument("--format", choices=("parquet", "json"), default="parquet")
    parser.add_argument("questions", nargs="+", choices=QUESTIONS, metavar="QUESTION")
    options = parser.parse_args()

    spark = SparkSession.builder.getOrCreate()
    [text] = spark.read.text(options.asked, wholetext=True).first()
    history, to = options.history.rstrip("/"), options.to.rstrip("/")
    tables = {table: f"{history}/{places.prefix(table.name)}" for table in TABLES.values()}
    questions = [QUESTIONS[name] for name in options.questions]
    for statement in [
        *spark_views(tables),
        *QueryScope.from_json(text).views(),
        *shared_views(questions),
    ]:
        spark.sql(statement)
    for question in questions:
        name = question.name
        answer = spark.sql(question.sql)
        # Without this JSON has no column in rows that have no value.
        answer.write.option("ignoreNullFields", "false").format(options.format).mode("overwrite").save(
            f"{to}/{name}"
        )
        print(f"{name}: {spark.read.format(options.format).load(f'{to}/{name}').count()} rows")
    spark.stop()


if __name__ == "__main__":
    main()
