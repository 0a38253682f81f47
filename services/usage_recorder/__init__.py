"""Records what a cluster's scheduler gave out: events, summaries and lists of it become Parquet in S3."""
