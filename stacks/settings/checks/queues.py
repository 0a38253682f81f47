"""Queues: what each is promised and may take."""

from collections.abc import Iterator

from stacks.settings.checks.mistake import Mistake
from stacks.settings.environment import Environment
from stacks.settings.queues import Resources

MIB = {"Mi": 1, "Gi": 2**10, "Ti": 2**20}


def sizes(settings: Environment) -> Iterator[Mistake]:
    """Leaves that are promised more than they may take."""
    for organization, projects in settings.queues.organizations.items():
        for project, tiers in projects.projects.items():
            for number, tier in tiers.tiers.items():
                at = f"queues.organizations.{organization}.projects.{project}.tiers.{number}"
                for resource in ("cpu", "memory"):
                    if _amount(tier.guaranteed, resource) > _amount(tier.maximum, resource):
                        yield Mistake(
                            f"{at}.guaranteed.{resource}",
                            f"is {getattr(tier.guaranteed, resource)}, more than the maximum of "
                            f"{getattr(tier.maximum, resource)}; lower it, or raise the maximum",
                        )


def _amount(resources: Resources, resource: str) -> int:
    """Thousandths of a core, or MiB."""
    if resource == "cpu":
        return int(resources.cpu[:-1]) if resources.cpu.endswith("m") else int(resources.cpu) * 1000
    return int(resources.memory[:-2]) * MIB[resources.memory[-2:]]
