"""Live UIs of drivers, the History Server and pages of the platform, by host name."""
