"""What is in the repository of a company that begins with moka: the files that are its own, and moka's."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from moka.jobs.job_file import JOB_FILE
from moka.partition import domain, partition
from moka.project import CODE
from moka.queues.queue_file import QUEUE_FILE
from stacks.settings.reading import SETTINGS, parse
from stacks.stack_files import stack_file

TEMPLATES = CODE / "packages" / "repository"

Files = Mapping[str, str]
"""Path within the repository -> text."""

WORKFLOWS = ("audit", "deploy", "drift", "preview", "recover", "rollout", "up")
"""Of `.github/workflows`: those that deploy, without those that test moka."""


@dataclass(frozen=True, kw_only=True)
class Company:
    """What the first environments are made of.

    organization: prefix of names that are global in AWS. account: AWS account id. zones: names of zones.
    deployer_network: where `up` runs, a public network in CIDR notation. github: `<owner>/<repository>`.
    """

    organization: str
    account: str
    region: str
    zones: tuple[str, ...]
    deployer_network: str
    github: str
    domain: str

    def fill(self, template: str) -> str:
        """A template with its values; `$$` stands for a dollar sign."""
        registry = f"{self.account}.dkr.ecr.{self.region}.{domain(self.region)}/{self.organization}-dev"
        return Template(template).substitute(
            vars(self)
            | {
                "zones": ", ".join(self.zones),
                "first_zone": self.zones[0],
                "partition": partition(self.region),
                "registry": registry,
                "version": _kubernetes_version(),
            }
        )


def own_files(company: Company) -> Files:
    """What is the company's from the beginning, and never written again."""
    workflows = {f".github/workflows/{name}.yml": _workflow(name) for name in WORKFLOWS}
    return {
        "README.md": company.fill(_template("README.md")),
        "Makefile": _template("Makefile"),
        "Pulumi.yaml": _our_file("Pulumi.yaml"),
        ".gitignore": "/.local/\n__pycache__/\n",
        "stacks/local.yaml": _local_settings(company),
        "stacks/dev.yaml": company.fill(_template("stacks/dev.yaml")),
        "stacks/Pulumi.local.yaml": _our_file("stacks/Pulumi.local.yaml"),
        **{f"stacks/Pulumi.dev.{name}.yaml": stack_file("dev", name) for name in ("shared", "spark-a")},
        "policies/configuration.yaml": _policies(company),
        "localcloud.yaml": _laptop(company),
        "jobs/pi.yaml": _our_file("examples/jobs/pi.yaml").replace("../../moka/jobs/", ""),
        **workflows,
    }


def moka_files(wheels: Iterable[Path]) -> Files:
    """What is moka's, and replaced by a newer version; besides the wheels, which are for `vendor/`."""
    pins = _template("requirements.txt").partition("\n")[2]
    vendored = [
        f"./vendor/{path.name} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in wheels
    ]
    return {
        "bootstrap": _our_file("bootstrap"),
        "__main__.py": _our_file("__main__.py"),
        "requirements.txt": "\n".join(
            ["# Made by `moka init`: moka, and all that it needs.", *vendored, pins]
        ),
        "policies/PulumiPolicy.yaml": _our_file("policies/PulumiPolicy.yaml"),
        "policies/__main__.py": _our_file("policies/__main__.py"),
        "policies/laptop.json": _our_file("policies/laptop.json"),
        "stacks/settings.schema.json": SETTINGS.schema(),
        "stacks/queues.schema.json": QUEUE_FILE.schema(),
        "jobs/job.schema.json": JOB_FILE.schema(),
    }


EXECUTABLE = ("bootstrap",)


def _our_file(name: str) -> str:
    return (CODE / name).read_text()


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text()


def _kubernetes_version() -> str:
    [cluster] = parse(_our_file("stacks/local.yaml"), "stacks/local.yaml").clusters.values()
    return cluster.version


def _local_settings(company: Company) -> str:
    """Our own, of the company's name."""
    text = _our_file("stacks/local.yaml").replace(
        "organization: moka\n", f"organization: {company.organization}\n"
    )
    text = text.replace("/moka-local/", f"/{company.organization}-local/")
    return text.replace("ci: {github: moka/moka}", f"ci: {{github: {company.github}}}")


def _policies(company: Company) -> str:
    """Our own for every environment and for `local`; `dev` is one like it, reached over the internet."""
    common, _, _ = _our_file("policies/configuration.yaml").partition("\n\n  test: ")
    dev = (
        "\n  dev:\n    <<: *trial\n"
        "    # Where `up` runs, as long as no network of yours leads to its API server.\n"
        f"    api-server-private: {{public_networks: [{company.deployer_network}]}}\n"
    )
    return f"{common}\n{dev}\nexceptions: []\n"


def _laptop(company: Company) -> str:
    """Our own, without what it says of our environments."""
    sections = re.split(r"\n\n(?=# )", _our_file("localcloud.yaml").rstrip("\n"))
    kept_sections = [
        text
        for text in sections
        if not re.search(r"^(capacity_reservations|identities):", text, re.MULTILINE)
    ]
    identities = (
        "# Whose credentials `up` of an environment is taken to have in an AWS account.\n"
        f'identities:\n  "{company.account}": role/{company.organization}-{{environment}}-deploy'
    )
    return (
        "\n\n".join([*kept_sections, identities]).replace(
            "docs/laptop-cloud.md", "docs/laptop-cloud.md of moka"
        )
        + "\n"
    )


def _workflow(name: str) -> str:
    """Our own, for `dev`."""
    text = _our_file(f".github/workflows/{name}.yml").replace("[dev, staging, prod]", "[dev]")
    if name == "rollout":
        text, _, _ = text.partition("\n  staging-canary:")
        first = re.compile(r"\A(#.*\n)+")
        text = first.sub(
            "# What is merged, environment by environment: copy `dev`, with `needs` of the one before.\n",
            text,
        )
    return text
