"""Buckets that jobs use besides the environment's own."""

import re
from collections.abc import Iterator, Sequence
from typing import get_args

from moka.mistakes import Mistake, comma_list, near
from moka.names import Data, bucket_problem, use_sid
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment
from stacks.settings.uses import Use

BUCKET_OF_MOKA = re.compile(
    rf".+-(?P<account>[0-9]{{12}})-(?P<region>[a-z0-9-]+?)-({'|'.join(get_args(Data))})", re.ASCII
)
"""Name of a bucket that an environment of moka made (moka.names.bucket_name)."""


OWN_BYTES, USE_BYTES, OPENING_BYTES, FOLDER_BYTES = 2800, 750, 100, 30
"""Size of the policy of jobs without any use, of a use, of one whose folders can be opened besides, and of a
folder, all without names, at most."""

TABLES_BYTES, DATABASE_BYTES = 700, 150
"""The same of tables in Glue, and of a database of theirs."""

MAX_POLICY_BYTES = 10_240
"""Of all policies of a role together (IAM User Guide, "IAM and AWS STS quotas")."""


def buckets(settings: Environment) -> Iterator[Mistake]:
    """Buckets that S3 cannot have or that are the environment's own, and the same twice."""
    yield from repeated("uses", (folder for use in settings.uses.values() for folder in use.folders))
    for name, use in settings.uses.items():
        if problem := bucket_problem(use.bucket):
            yield Mistake(f"uses.{name}.bucket", f"is {use.bucket!r}, {problem}; copy the name of a bucket")
        own = use.bucket.startswith(f"{settings.prefix}-")
        if own and use.bucket.endswith("-resource-usage"):
            yield from _of_usage(settings, name, use)
        elif own:
            yield Mistake(
                f"uses.{name}.bucket",
                f"is {use.bucket!r}, a bucket of this environment, which its jobs may use anyway; remove it",
            )


def _of_usage(settings: Environment, name: str, use: Use) -> Iterator[Mistake]:
    """What is wrong with a use of the history of what was used, which jobs may read where it is named."""
    if use.key is None:
        yield Mistake(
            f"uses.{name}.key", "is missing; write the ARN of the foundation's key, which encrypts it"
        )
    for namespace, space in settings.job_namespaces.items():
        if space.uses.get(name) == "write":
            yield Mistake(
                f"job_namespaces.{namespace}.uses.{name}",
                "is 'write', but what was used only the platform writes; write read",
            )


def places(settings: Environment) -> Iterator[Mistake]:
    """Keys and regions that are not those of the bucket, or not those that it has elsewhere in the file."""
    first: dict[str, tuple[str, Use]] = {}
    for name, use in settings.uses.items():
        region, account = use.key.split(":")[3:5] if use.key else ("", "")
        if use.region and use.key and use.region != region:
            yield Mistake(
                f"uses.{name}.region",
                f"is {use.region!r}, but the key is in {region}, where S3 wants its bucket to be; correct "
                "one of the two",
            )
        place = BUCKET_OF_MOKA.fullmatch(use.bucket)
        if place and use.key and (place["region"], place["account"]) != (region, account):
            yield Mistake(
                f"uses.{name}.key",
                f"is of {region} and account {account}, but the bucket is in {place['region']} of "
                f"{place['account']}, and so is its key; correct one of the two",
            )
        other, other_use = first.setdefault(use.bucket, (name, use))
        if (other_use.key, other_use.region) != (use.key, use.region):
            yield Mistake(
                f"uses.{name}",
                f"has another key or region than uses.{other}, though both are bucket {use.bucket}; "
                "write the same in both",
            )


def statements(settings: Environment) -> Iterator[Mistake]:
    """Names that are one in policies."""
    sids: dict[str, str] = {}
    for name in settings.uses:
        first = sids.setdefault(use_sid(name), name)
        if first != name:
            yield Mistake(
                f"uses.{name}",
                f"would have the statement {use_sid(name)} in policies, as {first!r} has, and IAM takes each "
                "once; rename one of the two",
            )


def policies(settings: Environment) -> Iterator[Mistake]:
    """Uses of a namespace, and databases of its tables, whose statements IAM would not take."""
    for namespace, space in settings.job_namespaces.items():
        uses = [settings.uses[name] for name in space.uses if name in settings.uses]
        metastore = settings.metastores.get(space.metastore) if space.metastore else None
        databases = metastore.glue.databases if metastore and metastore.glue else []
        size = OWN_BYTES + sum(map(_use_bytes, uses)) + _tables_bytes(databases)
        if size > MAX_POLICY_BYTES:
            tables = f" and {len(databases)} databases" if databases else ""
            fewer = "databases or folders" if databases else "folders"
            yield Mistake(
                f"job_namespaces.{namespace}.uses",
                f"would make a policy of about {size:,} bytes with these {len(uses)} and their folders"
                f"{tables}, and IAM takes {MAX_POLICY_BYTES:,}; put jobs that need different ones into "
                f"different namespaces, or name fewer {fewer}",
            )


def _use_bytes(use: Use) -> int:
    folders = use.prefixes or [""]
    size = sum(FOLDER_BYTES + len(use.bucket) + 2 * len(prefix) for prefix in folders)
    return USE_BYTES + (OPENING_BYTES + 2 * size if use.prefixes else size)


def _tables_bytes(databases: Sequence[str]) -> int:
    names = sum(DATABASE_BYTES + 2 * len(database) for database in databases)
    return TABLES_BYTES + names if databases else 0


def names(settings: Environment) -> Iterator[Mistake]:
    """Namespaces that use what the file does not have, and what no namespace uses."""
    for namespace, space in settings.job_namespaces.items():
        for name in space.uses:
            if name not in settings.uses:
                advice = f"; {near(name, set(settings.uses))}" if settings.uses else "; add it there"
                yield Mistake(f"job_namespaces.{namespace}.uses.{name}", f"is not in `uses`{advice}")
    references = {name for space in settings.job_namespaces.values() for name in space.uses}
    for name in settings.uses:
        if name not in references and references <= settings.uses.keys():
            yield Mistake(
                f"uses.{name}",
                f"is used by no job namespace; write `uses: {{{name}: read}}` in those of "
                f"{comma_list(settings.job_namespaces)} whose jobs may read it, or remove it",
            )
