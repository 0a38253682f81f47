"""The folder of a Pulumi project, and the project's file for the laptop cloud in it: `localcloud.yaml`."""

from pathlib import Path
from typing import Any

from localcloud.errors import Refusal

FILE = "localcloud.yaml"


def project_folder(folder: Path) -> Path:
    """The Pulumi project that a folder is in, found as pulumi does; the folder itself if it is in none."""
    return next((place for place in (folder, *folder.parents) if (place / "Pulumi.yaml").is_file()), folder)


def stand_in_modules(project: Path) -> dict[str, str]:
    """Label `app.kubernetes.io/name` of a Deployment -> Python module of the project that its image runs.

    Raises Refusal where `localcloud.yaml` says something else, or names a module that the project lacks.
    """
    content = read_yaml(project / FILE) or {}
    stand_ins = (content.get("stand_ins") or {}) if isinstance(content, dict) else None
    if not isinstance(stand_ins, dict) or content.keys() - {"stand_ins"}:
        raise _refusal(project, "has something else than stand_ins")
    modules = {}
    for name, stand_in in stand_ins.items():
        match stand_in:
            case {"module": str(module)} if len(stand_in) == 1:
                path = project.joinpath(*module.split("."))
                if not (path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()):
                    raise Refusal(
                        f"{project / FILE}: stand_ins.{name}.module is {module}, and {project} has no such "
                        "module: correct its name."
                    )
                modules[str(name)] = module
            case _:
                raise _refusal(project, f"has no module, or more than that, at stand_ins.{name}")
    return modules


def read_yaml(path: Path) -> Any:
    """What a YAML file holds; None when it is empty or not there. Raises Refusal when it is not YAML."""
    import yaml

    try:
        return yaml.safe_load(path.read_text())
    except FileNotFoundError:
        return None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} is not YAML: {' '.join(str(error).split())}.") from None


def _refusal(project: Path, mistake: str) -> Refusal:
    return Refusal(
        f"{project / FILE} {mistake}: write `stand_ins: {{<app.kubernetes.io/name of a Deployment>: "
        "{module: <Python module>}}`."
    )
