"""Before the History Server: it says where a job's log is, and joins logs whose driver was killed."""
