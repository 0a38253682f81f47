"""`python -m commands.queues <environment>`: its queues, drawn, or compared with what is in force.

Exit status: 0 as it should be, 1 something else is in force, 2 there is nothing to draw or nobody to ask.
"""

import argparse
import json
import os
import sys
import urllib.request
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from moka.queues import QueueTree, queues_yaml
from moka.queues.in_force import Answer, Difference, differences
from moka.queues.picture import as_svg, as_text
from stacks.settings import Environment, InvalidDocument, load

SCHEDULERS = "MOKA_SCHEDULERS"
"""Where schedulers are: `<cluster as AWS knows it>=<URL>`, with blanks between."""

PATIENCE_SECONDS = 20


class NobodyThere(Exception):
    """A scheduler that cannot be asked."""


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m commands.queues", description="The queues of an environment, by cluster."
    )
    parser.add_argument("environment", help="name of a settings file in stacks/, for example prod")
    parser.add_argument("--cluster", help="one cluster alone")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--svg", type=Path, metavar="FILE", help="write a drawing, one for each cluster")
    how.add_argument("--json", action="store_true", help="all amounts, for scripts")
    how.add_argument("--yaml", action="store_true", help="queues.yaml as the scheduler is given it")
    how.add_argument(
        "--in-force",
        nargs="?",
        const="",
        metavar="URL",
        help=f"compare with what the scheduler at URL (by default the cluster's in {SCHEDULERS}) says",
    )
    asked = parser.parse_args(arguments)
    try:
        settings = load(asked.environment)
        clusters = _clusters(settings, asked.cluster, one=bool(asked.in_force))
        trees = {cluster: settings.queue_tree(cluster) for cluster in clusters}
        if asked.in_force is not None:
            return _compare(settings, trees, asked.in_force)
    except (InvalidDocument, NobodyThere) as error:
        print(error, file=sys.stderr)
        return 2
    if asked.json:
        print(json.dumps({cluster: asdict(tree) for cluster, tree in trees.items()}, indent=2))
    elif asked.yaml:
        print("---\n".join(queues_yaml(tree) for tree in trees.values()), end="")
    elif asked.svg:
        for cluster, tree in trees.items():
            path = asked.svg if len(trees) == 1 else asked.svg.with_stem(f"{asked.svg.stem}-{cluster}")
            path.write_text(as_svg(tree, _title(settings, cluster), settings.capacity(cluster)))
            print(path)
    else:
        print("\n".join(_text(settings, cluster, tree) for cluster, tree in trees.items()), end="")
    return 0


def _clusters(settings: Environment, only: str | None, *, one: bool) -> list[str]:
    known = ", ".join(settings.clusters)
    if only is not None and only not in settings.clusters:
        raise InvalidDocument(f"{settings.environment} has no cluster {only!r}; --cluster is one of {known}.")
    if only is None and one and len(settings.clusters) > 1:
        raise InvalidDocument(f"A scheduler is that of one cluster: name it with --cluster, one of {known}.")
    return [only] if only is not None else list(settings.clusters)


def _title(settings: Environment, cluster: str) -> str:
    return f"Queues of {settings.environment}, cluster {cluster}"


def _text(settings: Environment, cluster: str, tree: QueueTree) -> str:
    return as_text(tree, _title(settings, cluster), settings.capacity(cluster))


def _compare(settings: Environment, trees: dict[str, QueueTree], url: str) -> int:
    """Print what differs, cluster by cluster; exit status."""
    told = False
    for cluster, tree in trees.items():
        found = list(read_back(tree, url or _scheduler(settings, cluster)))
        told = told or bool(found)
        print(f"{cluster}: {f'{len(found)} differences' if found else 'as the settings say'}")
        for difference in found:
            print(f"  {difference}")
    return 1 if told else 0


def _scheduler(settings: Environment, cluster: str) -> str:
    known = dict(pair.split("=", 1) for pair in os.environ.get(SCHEDULERS, "").split())
    name = settings.eks_name(cluster)
    if name not in known:
        raise NobodyThere(
            f"Nobody says where the scheduler of {name} is: forward its port 9080, then give the URL, as in "
            f"--cluster {cluster} --in-force http://localhost:9080."
        )
    return known[name]


def read_back(tree: QueueTree, url: str) -> list[Difference]:
    """In what the scheduler at a URL differs from a tree, and why it did not take it where it says so.

    Raises NobodyThere when it cannot be asked.
    """
    queues: Answer = json.loads(_ask(f"{url}/ws/v1/partition/default/queues"))
    config: Answer = yaml.safe_load(_ask(f"{url}/ws/v1/config"))
    found = list(differences(tree, queues, config))
    if found:
        verdict: dict[str, Any] = json.loads(_ask(f"{url}/ws/v1/validate-conf", queues_yaml(tree)))
        if not verdict["allowed"]:
            found.append(
                Difference("root", f"as it should be is refused by the scheduler: {verdict['reason']}")
            )
    return found


def _ask(url: str, content: str | None = None) -> bytes:
    try:
        with urllib.request.urlopen(
            url, None if content is None else content.encode(), timeout=PATIENCE_SECONDS
        ) as answer:
            body: bytes = answer.read()
            return body
    except (OSError, ValueError) as error:
        raise NobodyThere(f"{url} does not answer: {error}. Is it YuniKorn's, port 9080?") from None


if __name__ == "__main__":
    sys.exit(main())
