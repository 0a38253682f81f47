"""Docker Hub's limit of pulls by nobody in particular."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from aws_rules.images.machines import Machines
from aws_rules.images.reference import DOCKER_HUB, Reference
from aws_rules.rule import Rule, Verdict, Violation

DOCKER_HUB_RATE = Rule(
    name="docker-hub-rate",
    authority="Registries",
    decides="how many machines behind one address may pull from Docker Hub without an account",
    source="https://docs.docker.com/docker-hub/usage/",
)

PULLS = 100
"""In 6 hours from an IPv4 address, without an account (the rule's source)."""

WORDS = (
    "429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull "
    "rate limit. https://www.docker.com/increase-rate-limit"
)


def docker_hub(image: Reference, machines: Machines, others: Iterable[Machines] = ()) -> Iterator[Verdict]:
    """Machines behind an address that are more than Docker Hub serves.

    others: all other groups whose machines pull images from there.
    """
    if image.host != DOCKER_HUB:
        return
    behind: Counter[str] = Counter()
    for group in (machines, *others):
        in_each_subnet = math.ceil(group.maximum / len(group.subnets))
        for subnet in group.subnets:
            if address := group.addresses.get(subnet):
                behind[address] += in_each_subnet
    for subnet in machines.subnets:
        address = machines.addresses.get(subnet, "")
        if behind[address] > PULLS:
            yield Violation(
                rule=DOCKER_HUB_RATE,
                resource=f"image {image} on {machines.name}",
                code="ErrImagePull",
                message=f'failed to pull and unpack image "{image}": failed to copy: httpReadSeeker: failed '
                f"open: unexpected status code {image.manifest_url}: {WORDS}",
                remedy=f"up to {behind[address]} machines pull from Docker Hub behind {address}, which may "
                f"pull {PULLS} images in 6 hours: take the image from a mirror",
            )
            return
