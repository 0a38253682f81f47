"""The `kubernetes` provider of the laptop cloud: pulumi_kubernetes' resources on a real API server."""
