"""Asking whether a call would be allowed, without making it: as EC2's DryRun does, for every service."""

HEADER = "HTTP_X_LAPTOP_DRY_RUN"
"""Header of a request that only asks, as WSGI names it."""

HEADER_NAME = "x-laptop-dry-run"

ALLOWED = ("DryRunOperation", 412, "Request would have succeeded, but DryRun flag is set.")
"""Code, status and text with which EC2 says yes.

Source: "DryRunOperation", https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

YES = frozenset({ALLOWED[0], str(ALLOWED[1])})
"""What a client makes of it; the answer to a HEAD has only a status."""
