"""The sidecar of a driver that uploads its event log while it runs, in the standard library only."""
