"""What the OpenTelemetry collectors of a cluster read, how it is labelled, and where it goes."""
