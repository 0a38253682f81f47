"""The domain: jobs, queues, machines, sizes and names, as plain data that any program can use."""
