"""Spark jobs: from what its owner says of a job, and what a cluster is, to a SparkApplication."""
