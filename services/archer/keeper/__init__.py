"""The keeper: one pod, which makes the schema and keeps it in order."""
