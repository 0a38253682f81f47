"""Who enters an EKS cluster's API server, and what EKS's access policies allow them there."""

from aws_rules.access.authorization import ACCESS_POLICIES
from aws_rules.access.config_map import AWS_AUTH
from aws_rules.access.entries import ACCESS_ENTRIES
from aws_rules.access.identity import IDENTITIES
from aws_rules.rule import Rule

RULES: tuple[Rule, ...] = (ACCESS_ENTRIES, AWS_AUTH, IDENTITIES, ACCESS_POLICIES)
"""In the order in which a person meets them."""
