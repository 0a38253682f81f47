"""Components of Kubernetes resources."""
