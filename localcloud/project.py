"""The folder of a Pulumi project, and the project's file for the laptop cloud in it: `localcloud.yaml`."""

import re
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from localcloud.cloud import ACCOUNT
from localcloud.errors import Refusal

FILE = "localcloud.yaml"
SECTIONS = {
    "stand_ins": "{<app.kubernetes.io/name of a Deployment>: {module: <Python module>, "
    "variables: {<name>: <text>}}}",
    "calls": "{<namespace>/<service account>: [{actions: [<action>], resource: <what>}]}",
    "deployer_network": "{file: <path with {environment}>, key: <key in it>}",
    "capacity_reservations": "{<id>: {type: <instance type>, zone: <zone>, instances: <number>}}",
    "identities": "{<account>: role/<name with {environment}>}",
    "images": "{<pattern of an image's name>: [<architecture>]}",
}
"""Sections of the file, and what each has to be."""


@dataclass(frozen=True, kw_only=True)
class ProjectCall:
    """What a program of the project calls in AWS.

    resource: an ARN, `*`, or a pattern of a bucket's name with, after a slash, the key of an object.
    prefix: of the keys that it lists.
    """

    actions: tuple[str, ...]
    resource: str = "*"
    prefix: str = ""


USER_AT_HAND = f"arn:aws:iam::{ACCOUNT}:user/laptop"
"""Who calls AWS with the laptop's own credentials."""

MAX_CHARACTERS = 500_000
MAX_VALUES = 20_000
"""Of a YAML file that is read here. Those of a project and its stacks have a hundred."""


def project_folder(folder: Path) -> Path:
    """The Pulumi project that a folder is in, found as pulumi does; the folder itself if it is in none."""
    return next((place for place in (folder, *folder.parents) if (place / "Pulumi.yaml").is_file()), folder)


def stand_in_modules(project: Path) -> dict[str, str]:
    """Label `app.kubernetes.io/name` of a Deployment -> Python module of the project that its image runs.

    Raises Refusal where `localcloud.yaml` says something else, or names a module that the project lacks.
    """
    modules = {}
    for name, stand_in in _section(project, "stand_ins").items():
        match stand_in:
            case {"module": str(module)} if _variables_only(stand_in):
                if not _has_module(project, module):
                    raise Refusal(
                        f"{project / FILE}: stand_ins.{name}.module is {module}, and {project} has no "
                        "such module, nor is it installed: correct its name."
                    )
                modules[str(name)] = module
            case _:
                raise _refusal(project, f"stand_ins.{name}")
    return modules


def stand_in_variables(project: Path, program: str, **values: str) -> dict[str, str]:
    """Variables by which a shell finds a program of the project that runs, as `localcloud.yaml` has them.

    values: what `{name}` stands for in them.
    """
    texts = (_section(project, "stand_ins").get(program) or {}).get("variables") or {}
    for name, value in values.items():
        texts = {variable: text.replace(f"{{{name}}}", value) for variable, text in texts.items()}
    return dict(texts)


def _variables_only(stand_in: dict[Any, Any]) -> bool:
    """Whether a stand-in has a module, and else variables only, which are texts."""
    variables = stand_in.get("variables", {})
    return not stand_in.keys() - {"module", "variables"} and (
        isinstance(variables, dict)
        and all(isinstance(text, str) for pair in variables.items() for text in pair)
    )


def _has_module(project: Path, module: str) -> bool:
    """Whether a module can be run: one of the project's, or one that is installed where this runs."""
    path = project.joinpath(*module.split("."))
    if path.with_suffix(".py").is_file() or (path / "__main__.py").is_file():
        return True
    try:
        spec = find_spec(module)
        # A package is run by a module of it.
        if spec and spec.submodule_search_locations is not None:
            spec = find_spec(f"{module}.__main__")
    except ModuleNotFoundError:
        return False
    return spec is not None


def project_calls(project: Path) -> dict[str, list[ProjectCall]]:
    """Pattern of `<namespace>/<service account>` -> what the project's programs of it call in AWS.

    Raises Refusal where `localcloud.yaml` says something else.
    """
    calls: dict[str, list[ProjectCall]] = {}
    for account, entries in _section(project, "calls").items():
        calls[str(account)] = []
        for entry in entries if isinstance(entries, list) else [None]:
            match entry:
                case {"actions": [*actions], **rest} if not rest.keys() - {"resource", "prefix"} and all(
                    isinstance(text, str) for text in (*actions, *rest.values())
                ):
                    texts = {str(name): str(text) for name, text in rest.items()}
                    calls[str(account)].append(ProjectCall(actions=tuple(actions), **texts))
                case _:
                    raise _refusal(project, f"calls.{account}")
    return calls


def deployer_network(project: Path, stack: str) -> IPv4Network | None:
    """Where `up` of a stack is taken to run.

    All addresses where its settings name none; None where the project says nothing of it.

    `localcloud.yaml` names the file that says it, with `{environment}` for the stack's name up to its first
    dot, and the key in it. Raises Refusal where that is no network.
    """
    match _section(project, "deployer_network"):
        case {} as section if not section:
            return None
        case {"file": str(file), "key": str(key)}:
            path = project / file.format(environment=stack.partition(".")[0])
            settings = read_yaml(path)
            value = settings.get(key) if isinstance(settings, dict) else None
            try:
                return IPv4Network("0.0.0.0/0" if value is None else value)
            except ValueError:
                raise Refusal(f"{path}: {key} is {value!r}: write a network, as in 10.0.0.0/24.") from None
        case _:
            raise _refusal(project, "deployer_network")


def capacity_reservations(project: Path) -> list[dict[str, Any]]:
    """Capacity reservations that the project takes for granted, as EC2 describes them.

    Raises Refusal where `localcloud.yaml` has another form.
    """
    reservations = []
    for id, reservation in _section(project, "capacity_reservations").items():
        match reservation:
            case {"type": str(type), "zone": str(zone), "instances": int(count)} if len(reservation) == 3:
                reservations.append(
                    {
                        "CapacityReservationId": id,
                        "InstanceType": type,
                        "AvailabilityZone": zone,
                        "TotalInstanceCount": count,
                    }
                )
            case _:
                raise _refusal(project, f"capacity_reservations.{id}")
    return reservations


def identity_at_hand(project: Path, stack: str, account: str, partition: str) -> str | None:
    """ARN of the role or user whose credentials `up` of a stack has in an account; None where nobody says.

    `localcloud.yaml` may have `{environment}` in its name, for the stack's up to its first dot.
    Raises Refusal where it says it wrongly.
    """
    environment = stack.partition(".")[0]
    identities = {
        place: str(name).replace("{environment}", environment)
        for place, name in _section(project, "identities").items()
    }
    for place, name in identities.items():
        if not re.fullmatch(r"\d{12}", str(place)) or not re.fullmatch(r"(role|user)/[\w+=,.@/-]+", name):
            raise _refusal(project, f"identities.{place}")
    if account in identities:
        return f"arn:{partition}:iam::{account}:{identities[account]}"
    return USER_AT_HAND.replace(":aws:", f":{partition}:") if account == ACCOUNT else None


def image_architectures(project: Path) -> dict[str, list[str]]:
    """Pattern of an image's name -> architectures that such images exist for, as `localcloud.yaml` has it.

    Raises Refusal where it says something else.
    """
    images = {}
    for pattern, architectures in _section(project, "images").items():
        match architectures:
            case [*names] if names and all(isinstance(name, str) for name in names):
                images[str(pattern)] = names
            case _:
                raise _refusal(project, f"images.{pattern}")
    return images


def read_yaml(path: Path) -> Any:
    """What a YAML file holds; None when it is empty or not there.

    Raises Refusal when it is not YAML, or far more than anybody writes, as aliases of aliases are.
    """
    import yaml

    try:
        text = path.read_text()
        if len(text) > MAX_CHARACTERS:
            raise Refusal(f"{path} has more than {MAX_CHARACTERS} characters: keep only what it is for.")
        if _values(text) > MAX_VALUES:
            raise Refusal(
                f"{path} has more than {MAX_VALUES} keys and values where its YAML aliases repeat others, or "
                "contains itself: remove aliases."
            )
        return deepcopy(_document(text))
    except FileNotFoundError:
        return None
    except RecursionError:
        raise Refusal(f"{path} is nested too deeply: keep only what it is for.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise Refusal(f"{path} is not YAML: {' '.join(str(error).split())}.") from None


# A project's file is read for every role and release.
@lru_cache(4)
def _values(text: str) -> int:
    import yaml

    return _count(yaml.compose(text, Loader=yaml.SafeLoader), {})


@lru_cache(4)
def _document(text: str) -> Any:
    import yaml

    return yaml.safe_load(text)


def _section(project: Path, name: str) -> dict[Any, Any]:
    """A section of the project's file. Raises Refusal where it, or another, is none."""
    content = read_yaml(project / FILE) or {}
    if not isinstance(content, dict) or content.keys() - SECTIONS.keys():
        raise Refusal(f"{project / FILE} has something else than {', '.join(SECTIONS)}: keep only these.")
    section = content.get(name) or {}
    if not isinstance(section, dict):
        raise _refusal(project, name)
    return section


def _count(node: Any, counts: dict[int, int]) -> int:
    """Keys and values of a YAML node, those of an alias counted each time; too many of one within itself."""
    if id(node) not in counts:
        counts[id(node)] = MAX_VALUES
        entries = getattr(node, "value", None)
        parts = [
            part
            for entry in (entries if isinstance(entries, list) else [])
            for part in (entry if isinstance(entry, tuple) else [entry])
        ]
        counts[id(node)] = 1 + sum(_count(part, counts) for part in parts)
    return counts[id(node)]


def _refusal(project: Path, at: str) -> Refusal:
    """A value of the project's file that is not what its section has to be."""
    section = at.partition(".")[0]
    return Refusal(
        f"{project / FILE}: {at} is not what it has to be: write `{section}: {SECTIONS[section]}`."
    )
