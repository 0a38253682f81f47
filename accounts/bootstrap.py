"""The steps of `moka bootstrap`: each can be repeated, and none needs to know how far the last run came.

The program makes the bucket in which its own state is kept. So its state begins in a folder, and moves into
the bucket once that is there. Where it is now is asked of both: a stack with resources in the bucket is the
state, as it is written there whole or not at all; otherwise the folder has it.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from accounts.backend import Backend, Config
from accounts.names import AccountNames, StateNames
from accounts.questions import BootstrapRefused, Questions
from moka.project import project_folder
from stacks.settings import Environment

BEGINNING = project_folder() / ".local" / "accounts"
"""Folder of the state before there is a bucket, unless `PULUMI_BACKEND_URL` names a folder."""

PROVIDER = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"

Tell = Callable[[str], None]
"""Takes a line about how far it is."""


@dataclass(frozen=True)
class Place:
    """Where the state is, and the resources that are in it."""

    backend: Backend
    resources: list[dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """What the program is to make: all, or without roles; and whether state is protected."""

    access: bool = True
    keep: bool = True


@dataclass(frozen=True)
class Bootstrap:
    """The accounts of an environment, as far as they are made.

    role: taken in accounts that the credentials at hand are not of.
    """

    settings: Environment
    role: str
    tell: Tell

    @property
    def stack(self) -> str:
        """Name of its stack."""
        return self.settings.environment

    @property
    def in_folder(self) -> Backend:
        """State as it begins."""
        url = os.environ.get("PULUMI_BACKEND_URL", "")
        if not url.startswith("file://"):
            BEGINNING.mkdir(parents=True, exist_ok=True)
            url = f"file://{BEGINNING}"
        elif not url.startswith("file://~"):
            Path(url.removeprefix("file://")).mkdir(parents=True, exist_ok=True)
        return Backend(url, "passphrase")

    @property
    def in_bucket(self) -> Backend:
        """State as it is kept."""
        names = StateNames(self.settings)
        return Backend(names.backend_url, names.secrets_provider)

    def up(self, *arguments: str, plan: Plan = Plan()) -> bool:
        """Make it, or what is missing of it, and move its state into the bucket; whether it is all there."""
        place = self._begun()
        if place.backend.run("up", self.stack, self._config(place, plan), *arguments):
            return False
        if place.backend == self.in_folder:
            self.tell("Moving the state of all this into the bucket ...")
            self._move(self.in_folder, self.in_bucket)
        return True

    def preview(self, *arguments: str) -> bool:
        """Show what `up` would do; whether that could be shown."""
        place = self._begun()
        done = place.backend.run("preview", self.stack, self._config(place, Plan()), *arguments) == 0
        if not place.resources:
            place.backend.forget(self.stack)
        return done

    def stands(self) -> bool:
        """Whether any of it is made."""
        return self._place() is not None

    def stacks_in_the_way(self) -> list[str]:
        """Stacks in the bucket that have resources, each with how many: `moka/prod.shared (84)`."""
        if not self._questions.bucket_exists():
            return []
        return [f"{name} ({number})" for name, number in self.in_bucket.populated()]

    def take_roles(self, *arguments: str) -> bool:
        """Take the roles away; state and key stay, with the state of the accounts in it."""
        return self._release_providers(*arguments) and self.up(*arguments, plan=Plan(access=False))

    def take_everything(self, *arguments: str) -> bool:
        """Take all of it away, every former version of every stack too."""
        if not self._release_providers(*arguments):
            return False
        place = self._begun()
        config = self._config(place, Plan(access=False, keep=False))
        if place.backend == self.in_bucket:
            self.tell("Moving the state of all this out of the bucket ...")
            self._move(self.in_bucket, self.in_folder)
        for verb in ("up", "destroy"):  # first protection goes, then what it protected
            if self.in_folder.run(verb, self.stack, config, *arguments):
                return False
        self.in_folder.forget(self.stack)
        return True

    def _release_providers(self, *arguments: str) -> bool:
        """Have identity providers stay that other roles trust, when they go from the stack."""
        place = self._begun()
        shared_providers = self._shared_providers(place)
        if not shared_providers:
            return True
        self.tell(
            f"GitHub's identity provider stays in {', '.join(shared_providers)}: other roles there trust it."
        )
        return place.backend.run("up", self.stack, self._config(place, Plan()), *arguments) == 0

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self.settings, self.role)

    def _begun(self) -> Place:
        """Where the state is; it begins in the folder. Raises BootstrapRefused."""
        place = self._place()
        if place is None:
            self.in_folder.adopt(self.stack)
        return place or Place(self.in_folder, [])

    def _place(self) -> Place | None:
        """Where the state is; None where there is none. Raises BootstrapRefused."""
        self._questions.refuse_other_account()
        exists = self._questions.bucket_exists()
        for backend in (self.in_bucket, self.in_folder) if exists else (self.in_folder,):
            if resources := backend.resources(self.stack):
                return Place(backend, resources)
        if exists:
            raise BootstrapRefused(
                f"Bucket {StateNames(self.settings).bucket} exists, and no state here knows it: go on in the "
                "checkout where it was begun, whose .local/accounts has the state."
            )
        return None

    def _move(self, source: Backend, target: Backend) -> None:
        target.adopt(self.stack, source.export(self.stack))
        source.forget(self.stack)

    def _config(self, place: Place, plan: Plan) -> Config:
        return {
            "environment": self.settings.environment,
            "role": self.role,
            "access": plan.access,
            "keep": plan.keep,
            "existingProviders": self._providers_of_others(place),
            "sharedProviders": self._shared_providers(place),
        }

    def _providers_of_others(self, place: Place) -> list[str]:
        """Accounts whose identity provider for GitHub is there, and not of this stack."""
        if self.settings.ci is None:
            return []
        return [
            account
            for account in self.settings.accounts
            if not self._has_provider(place, account) and self._questions.provider_exists(account)
        ]

    def _shared_providers(self, place: Place) -> list[str]:
        """Accounts where others use the identity provider of this stack."""
        return [
            account
            for account in self.settings.accounts
            if self._has_provider(place, account) and self._questions.others_of_provider(account)
        ]

    def _has_provider(self, place: Place, account: str) -> bool:
        arn = AccountNames(self.settings, account).github_provider
        return any(resource["type"] == PROVIDER and resource.get("id") == arn for resource in place.resources)
