"""A namespace of the test's API server that takes applications of Archer only."""

from moka.components.kubernetes.archer_only import POLICY_NAME, rules
from moka.components.kubernetes.yunikorn import service_account_pattern
from tests.support.admission import bind


def close(api, namespace):
    """Bind the rules to a namespace, as layer spark does; the function that takes them away."""
    makers = [service_account_pattern("spark-operator"), service_account_pattern(namespace, "spark")]
    return bind(api, POLICY_NAME, rules([namespace], makers))
