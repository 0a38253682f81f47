"""How many host names the certificates of a load balancer have."""

NAMES_PER_CERTIFICATE = 10
"""Quota of ACM (https://docs.aws.amazon.com/acm/latest/userguide/acm-limits.html)."""

CERTIFICATES_PER_LISTENER = 25
"""Of a network load balancer, besides the default one
(https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-limits.html)."""
