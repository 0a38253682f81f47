"""Who enters an EKS cluster's API server, and what EKS's access policies allow them there."""

from localcloud.rules.access.authorization import ACCESS_POLICIES
from localcloud.rules.access.entries import ACCESS_ENTRIES
from localcloud.rules.access.identity import IDENTITIES
from localcloud.rules.rule import Rule

RULES: tuple[Rule, ...] = (ACCESS_ENTRIES, IDENTITIES, ACCESS_POLICIES)
"""In the order in which a person meets them."""
