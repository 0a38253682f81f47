"""Metastores, and the namespaces whose jobs look for tables there."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from moka.mistakes import Mistake, comma_list, near
from stacks.settings.environment import Environment


def names(settings: Environment) -> Iterator[Mistake]:
    """Names of metastores that the file does not have, and metastores that no namespace names."""
    references = {space.metastore for space in settings.job_namespaces.values() if space.metastore}
    for namespace, space in settings.job_namespaces.items():
        if space.metastore and space.metastore not in settings.metastores:
            advice = (
                near(space.metastore, set(settings.metastores)) if settings.metastores else "add it there"
            )
            yield Mistake(
                f"job_namespaces.{namespace}.metastore",
                f"is {space.metastore!r}, not in `metastores`; {advice}",
            )
    for name in settings.metastores:
        if name not in references and references <= settings.metastores.keys():
            yield Mistake(
                f"metastores.{name}",
                f"is of no job namespace; write `metastore: {name}` in those of "
                f"{comma_list(settings.job_namespaces)} whose jobs look for tables there, or remove it",
            )


def ways(settings: Environment) -> Iterator[Mistake]:
    """Servers that no network policy lets jobs reach."""
    for name, metastore in settings.metastores.items():
        thrift = metastore.thrift
        if thrift and bool(thrift.cidrs) == bool(thrift.namespace):
            has = (
                "both cidrs and namespace; keep one"
                if thrift.cidrs
                else "neither cidrs nor namespace; add one"
            )
            yield Mistake(f"metastores.{name}.thrift", f"has {has}")


def warehouses(settings: Environment) -> Iterator[Mistake]:
    """Folders of tables that jobs may not read."""
    for namespace, space in settings.job_namespaces.items():
        metastore = settings.metastores.get(space.metastore or "")
        if metastore is None:
            continue
        bucket = urlsplit(metastore.warehouse).netloc
        uses = [settings.uses[name] for name in space.uses if name in settings.uses]
        folders = [folder for use in uses for folder in use.folders]
        if not any(metastore.warehouse.startswith(folder) for folder in folders):
            yield Mistake(
                f"metastores.{space.metastore}.warehouse",
                f"is {metastore.warehouse}, but jobs in {namespace} may not use bucket {bucket} there; name "
                f"it in `uses` and in job_namespaces.{namespace}.uses",
            )
