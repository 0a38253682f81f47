"""Whether the machines of a node group could pull an image: network, permissions, architecture, rate."""

from aws_rules.images.docker_hub import DOCKER_HUB_RATE
from aws_rules.images.ecr import ECR_PULL
from aws_rules.images.pull import IMAGE_PLATFORM, REGISTRY_REACH
from aws_rules.rule import Rule

RULES: tuple[Rule, ...] = (REGISTRY_REACH, ECR_PULL, IMAGE_PLATFORM, DOCKER_HUB_RATE)
"""Rules of this package."""
