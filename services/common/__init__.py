"""What every service shares: arguments, logs, health, metrics, and the Kubernetes API."""
