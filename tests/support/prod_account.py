"""The account of prod, as `moka bootstrap` names what it makes there, for requests in tests of its roles."""

import json

from accounts.names import AccountNames, StateNames
from aws_rules.iam.evaluation import Policy
from aws_rules.iam.evaluation import Resource as Target
from moka.components.aws.key import key_policy
from tests.support.bootstrapped_previews import bootstrapped

ACCOUNT = "444455556666"
NAMES = AccountNames(bootstrapped("prod"), ACCOUNT)
STATE = StateNames(bootstrapped("prod"))
OWN_KEY = json.loads(key_policy(ACCOUNT, "us-east-1"))
WORKLOAD = f"arn:aws:iam::{ACCOUNT}:role/acme-prod/x"


def on(arn: str, policy: Policy | None = None) -> Target:
    """A resource of the account, with its policy."""
    return Target(arn=arn, account=ACCOUNT, policy=policy)
