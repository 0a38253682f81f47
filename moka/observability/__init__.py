"""What people look at and are woken by, as data: rules of Prometheus."""
