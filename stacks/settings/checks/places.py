"""Accounts, regions and zones, and the names that follow from them."""

from collections.abc import Iterator
from typing import get_args

from moka.mistakes import Mistake, comma_list
from moka.names import NO_BUCKET_PREFIXES, Data, bucket_name, own_data
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment
from stacks.settings.foundation import ExistingNetwork, Foundation

MAX_BUCKET_NAME_LENGTH = 63
"""Characters (S3 User Guide, "General purpose bucket naming rules")."""

MAX_HOST_LENGTH, MAX_LABEL_LENGTH = 253, 63
"""Characters of a host name, and between its dots (RFC 1035)."""

ZONES = frozenset("abcdefgh")
"""Letters of zones: up to six, as us-east-1 has, and two that may come
(https://aws.amazon.com/about-aws/global-infrastructure/)."""

MAX_ROLE_NAME_LENGTH = 64 - 8
"""Characters: what IAM allows (IAM User Guide, "IAM and AWS STS quotas"), less the eight that Pulumi adds."""


def accounts(settings: Environment) -> Iterator[Mistake]:
    """Foundations that share a place, principals of other accounts, and who takes which role."""
    owners: dict[tuple[str, str], str] = {}
    for name, foundation in settings.foundations.items():
        at = f"foundations.{name}"
        owner = owners.setdefault((foundation.account, foundation.region), name)
        if owner != name:
            yield Mistake(
                at,
                f"account {foundation.account} already has foundation {owner!r} in {foundation.region}; keep "
                "one for each account and region",
            )
        for field in ("deployer", "permissions_boundary"):
            arn = getattr(foundation, field)
            if arn and arn.split(":")[4] != foundation.account:
                yield Mistake(
                    f"{at}.{field}",
                    f"is {arn!r}, which is of another account; name one of {foundation.account}",
                )
        if foundation.assume and ":role/" not in foundation.deployer:
            yield Mistake(
                f"{at}.assume",
                f"is true, but {foundation.deployer!r} is no role and cannot be assumed; name a role as "
                "deployer, or remove assume",
            )
    direct = {foundation.account for foundation in settings.foundations.values() if not foundation.assume}
    if len(direct) > 1:
        yield Mistake(
            "foundations",
            f"accounts {comma_list(direct)} all use the credentials at hand, which are of one account; set "
            "assume: true for the others",
        )


def zones(settings: Environment) -> Iterator[Mistake]:
    """Zones of another region, zones listed twice, and foundations with two networks or none."""
    for name, foundation in settings.foundations.items():
        at = f"foundations.{name}"
        if foundation.network and foundation.existing_network:
            yield Mistake(at, "has both network (to create) and existing_network (by ids); keep one")
        if not foundation.network and not foundation.existing_network:
            yield Mistake(at, "has neither network (to create) nor existing_network (by ids); add one")
        for key, names in _zones(foundation):
            for zone in dict.fromkeys(names):
                if zone.startswith(f"{foundation.region}-"):
                    yield Mistake(
                        f"{at}.{key}",
                        f"{zone!r} is a Local or Wavelength Zone, where EKS has no control plane and no "
                        f"managed nodes; use zones such as {foundation.region}a",
                    )
                elif zone[:-1] != foundation.region or zone[-1:] not in ZONES:
                    yield Mistake(
                        f"{at}.{key}",
                        f"{zone!r} is no zone of {foundation.region}; use zones such as {foundation.region}a",
                    )
            yield from repeated(f"{at}.{key}", names)
        existing = foundation.existing_network
        if existing and existing.pod_subnets and set(existing.pod_subnets) != set(existing.private_subnets):
            yield Mistake(
                f"{at}.existing_network.pod_subnets",
                f"are in {comma_list(existing.pod_subnets)}, but nodes are in "
                f"{comma_list(existing.private_subnets)}; give pods a subnet in each zone that has nodes",
            )
        if existing:
            yield from repeated(f"{at}.existing_network", _subnets(existing))


def _subnets(network: ExistingNetwork) -> list[str]:
    """Every subnet: each is in one zone, for one purpose."""
    kinds = (network.private_subnets, network.public_subnets, network.pod_subnets)
    return [subnet for kind in kinds for subnet in kind.values()]


def _zones(foundation: Foundation) -> Iterator[tuple[str, list[str]]]:
    if foundation.network:
        yield "network.zones", foundation.network.zones
    if foundation.existing_network:
        for kind in ("private_subnets", "public_subnets", "pod_subnets"):
            yield f"existing_network.{kind}", list(getattr(foundation.existing_network, kind))


def roles(settings: Environment) -> Iterator[Mistake]:
    """Names of roles that are longer than IAM allows."""
    for cluster in settings.clusters:
        for namespace in settings.job_namespaces:
            if len(f"{cluster}-{namespace}") > MAX_ROLE_NAME_LENGTH:
                yield Mistake(
                    f"clusters.{cluster}",
                    f"with namespace {namespace!r}, its role names have more than {MAX_ROLE_NAME_LENGTH} "
                    "characters; shorten one of the two",
                )


def buckets(settings: Environment) -> Iterator[Mistake]:
    """Names of buckets that are longer than S3 allows, or begin as its own do."""
    longest = max(get_args(Data), key=len)
    if settings.prefix.startswith(NO_BUCKET_PREFIXES):
        yield Mistake(
            "organization",
            f"is {settings.organization!r}, but S3 takes no bucket whose name begins with "
            f"{' or '.join(NO_BUCKET_PREFIXES)}; choose another",
        )
    for foundation in settings.foundations.values():
        name = bucket_name(settings.prefix, foundation.account, foundation.region, longest)
        if len(name) > MAX_BUCKET_NAME_LENGTH:
            yield Mistake(
                "organization",
                f"makes bucket names too long with the environment's name: {name!r} has {len(name)} "
                f"characters, and S3 allows {MAX_BUCKET_NAME_LENGTH}; shorten one of the two",
            )
            return
    for namespace in settings.own_key_namespaces:
        for foundation in settings.foundations.values():
            purpose = own_data("staging", namespace)
            name = bucket_name(settings.prefix, foundation.account, foundation.region, purpose)
            if len(name) > MAX_BUCKET_NAME_LENGTH:
                yield Mistake(
                    f"job_namespaces.{namespace}.own_key",
                    f"would make bucket {name!r}, which has {len(name)} characters, and S3 allows "
                    f"{MAX_BUCKET_NAME_LENGTH}; give the namespace a shorter name",
                )
                break


def hosts(settings: Environment) -> Iterator[Mistake]:
    """Host names of UIs, `<application>.<namespace>.<cluster>.<domain>`, that are too long for DNS."""
    longest = max(
        (
            f"{namespace}.{settings.ui_domain(cluster)}"
            for cluster in settings.clusters
            for namespace in settings.job_namespaces
        ),
        key=len,
    )
    if MAX_LABEL_LENGTH + 1 + len(longest) > MAX_HOST_LENGTH:
        yield Mistake(
            "domain",
            f"has {len(settings.domain)} characters, and names of UIs, <application>.{longest}, would have "
            f"more than the {MAX_HOST_LENGTH} of DNS; shorten it",
        )
