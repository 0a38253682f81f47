"""Whether the machines of a node group could pull an image: network, permissions, architecture, rate."""

from localcloud.rules.images.docker_hub import DOCKER_HUB_RATE
from localcloud.rules.images.ecr import ECR_PULL
from localcloud.rules.images.pull import IMAGE_PLATFORM, REGISTRY_REACH
from localcloud.rules.rule import Rule

RULES: tuple[Rule, ...] = (REGISTRY_REACH, ECR_PULL, IMAGE_PLATFORM, DOCKER_HUB_RATE)
"""Rules of this package."""
