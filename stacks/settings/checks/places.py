"""Accounts, regions and zones."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from moka.mistakes import Mistake, listed
from moka.names import Data, bucket_name
from stacks.settings.environment import Environment
from stacks.settings.foundation import Foundation

BUCKET_NAME = 63
ROLE_NAME = 56  # and the eight that Pulumi adds
"""Characters of a name at most."""


def accounts(settings: Environment) -> Iterator[Mistake]:
    """Foundations that share a place, principals of other accounts, and who takes which role."""
    seen: dict[tuple[str, str], str] = {}
    for name, foundation in settings.foundations.items():
        at = f"foundations.{name}"
        first = seen.setdefault((foundation.account, foundation.region), name)
        if first != name:
            yield Mistake(
                at,
                f"account {foundation.account} in {foundation.region} has the foundation {first!r} already; "
                "an account and region has one",
            )
        for field in ("deployer", "permissions_boundary"):
            arn = getattr(foundation, field)
            if arn and arn.split(":")[4] != foundation.account:
                yield Mistake(
                    f"{at}.{field}", f"is {arn!r}, of another account; name one of {foundation.account}"
                )
        if foundation.assume and ":role/" not in foundation.deployer:
            yield Mistake(
                f"{at}.assume",
                f"{foundation.deployer!r} is no role and cannot be taken; name a role, or leave assume out",
            )
    direct = {f.account for f in settings.foundations.values() if not f.assume}
    if len(direct) > 1:
        yield Mistake(
            "foundations",
            f"accounts {listed(direct)} are all used with the credentials at hand, which are of one account; "
            "set assume: true for the others",
        )


def zones(settings: Environment) -> Iterator[Mistake]:
    """Zones of another region, zones twice, and networks that are made and there already, or neither."""
    for name, foundation in settings.foundations.items():
        at = f"foundations.{name}"
        if (foundation.network is None) == (foundation.existing_network is None):
            has = "both" if foundation.network else "neither"
            yield Mistake(at, f"has {has} of network (made here) and existing_network (by ids); give one")
        for where, found in _zones(foundation):
            for zone, times in Counter(found).items():
                if zone[:-1] != foundation.region or not zone[-1].isalpha():
                    yield Mistake(
                        f"{at}.{where}",
                        f"{zone!r} is no zone of {foundation.region}, as {foundation.region}a is",
                    )
                if times > 1:
                    yield Mistake(f"{at}.{where}", f"{zone!r} is there {times} times; once is enough")
        existing = foundation.existing_network
        if existing and existing.pod_subnets and set(existing.pod_subnets) != set(existing.private_subnets):
            yield Mistake(
                f"{at}.existing_network.pod_subnets",
                f"are in {listed(existing.pod_subnets)}, and nodes in {listed(existing.private_subnets)}; "
                "pods need a subnet in each zone that has nodes",
            )


def _zones(foundation: Foundation) -> Iterator[tuple[str, list[str]]]:
    if foundation.network:
        yield "network.zones", foundation.network.zones
    if foundation.existing_network:
        for kind in ("private_subnets", "public_subnets", "pod_subnets"):
            yield f"existing_network.{kind}", list(getattr(foundation.existing_network, kind))


def long_names(settings: Environment) -> Iterator[Mistake]:
    """Names of buckets and roles that AWS would not take."""
    for cluster in settings.clusters:
        for namespace in settings.job_namespaces:
            if len(f"{cluster}-{namespace}") > ROLE_NAME:
                yield Mistake(
                    f"clusters.{cluster}",
                    f"with namespace {namespace!r} it makes role names of more than {ROLE_NAME} characters; "
                    "shorten one of the two",
                )
    longest = max(get_args(Data), key=len)
    for foundation in settings.foundations.values():
        name = bucket_name(settings.prefix, foundation.account, foundation.region, longest)
        if len(name) > BUCKET_NAME:
            yield Mistake(
                "organization",
                f"with the environment's name it makes bucket names such as {name!r}, {len(name)} characters "
                f"of at most {BUCKET_NAME}; shorten one of the two",
            )
            return
