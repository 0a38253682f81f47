"""Pull-through caches of ECR: upstream registries and the secrets to read them."""

import re
from collections.abc import Iterator, Mapping

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="pull-through-caches",
    authority="AWS",
    decides="which registries ECR can pull through, and for which of them it needs a secret",
    source="https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_CreatePullThroughCacheRule.html",
)

RULES = (RULE,)

UPSTREAMS: Mapping[str, bool] = {
    r"public\.ecr\.aws": False,
    r"registry\.k8s\.io": False,
    r"quay\.io": False,
    r"registry-1\.docker\.io": True,
    r"ghcr\.io": True,
    r"registry\.gitlab\.com": True,
    r"[a-z0-9]+\.azurecr\.(io|us|cn)": True,
    r"cgr\.dev": True,
    r"\d{12}\.dkr\.ecr(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?": False,
}
"""Registry, as an expression -> whether it needs a secret. Source: of the rule."""


def cache_rule(request: Request) -> Iterator[ValueVerdict]:
    """A pull-through cache."""
    url = request.value_at("upstreamRegistryUrl")
    if not isinstance(url, str):
        return
    secret = next((obligation for text, obligation in UPSTREAMS.items() if re.fullmatch(text, url)), None)
    if secret is None:
        message = f"The specified upstream registry isn't supported: {url}"
        remedy = "name one that ECR pulls through, such as registry-1.docker.io or public.ecr.aws"
        code = "UnsupportedUpstreamRegistryException"
        yield request.misfit(RULE, ("upstreamRegistryUrl",), code, message, remedy)
    elif secret and not request.has("credentialArn"):
        message = f"The upstream registry {url} needs a credentialArn"
        remedy = "name a secret of Secrets Manager, ecr-pullthroughcache/..., with its user and token"
        yield request.misfit(RULE, ("credentialArn",), "InvalidParameterException", message, remedy)
