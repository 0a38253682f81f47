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

from accounts.backend import FOLDER, Backend, Config
from accounts.names import AccountNames, StateNames
from accounts.questions import Questions, Refused
from stacks.settings import Environment

BEGINNING = FOLDER.parent / ".local" / "accounts"
"""Folder of the state before there is a bucket, unless `PULUMI_BACKEND_URL` names a folder."""

PROVIDER = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"

Tell = Callable[[str], None]
"""Takes a line about how far it is."""


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
        backend = self._backend()
        if backend.run("up", self.stack, self._config(backend, plan), *arguments):
            return False
        if backend == self.in_folder:
            self.tell("Moving the state of all this into the bucket ...")
            self._move(self.in_folder, self.in_bucket)
        return True

    def preview(self, *arguments: str) -> bool:
        """Show what `up` would do; whether that could be shown."""
        backend = self._backend()
        done = backend.run("preview", self.stack, self._config(backend, Plan()), *arguments) == 0
        if not backend.resources(self.stack):
            backend.forget(self.stack)
        return done

    def standing(self) -> list[str]:
        """Types of what is made; nothing where nothing is."""
        backend = self._backend_or_none()
        return [resource["type"] for resource in backend.resources(self.stack)] if backend else []

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
        backend = self._backend_or_none()
        if backend is None:
            return True
        if not self._release_providers(*arguments):
            return False
        if backend == self.in_bucket:
            self.tell("Moving the state of all this out of the bucket ...")
            self._move(self.in_bucket, self.in_folder)
        folder, plan = self.in_folder, Plan(access=False, keep=False)
        config = self._config(folder, plan)
        if folder.run("up", self.stack, config, *arguments):
            return False
        if folder.run("destroy", self.stack, config, *arguments):
            return False
        folder.forget(self.stack)
        return True

    def _release_providers(self, *arguments: str) -> bool:
        """Have identity providers stay that other roles trust, when they go from the stack."""
        shared = self._shared_providers()
        if not shared:
            return True
        self.tell(f"GitHub's identity provider stays in {', '.join(shared)}: other roles there trust it.")
        backend = self._backend()
        return backend.run("up", self.stack, self._config(backend, Plan()), *arguments) == 0

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self.settings, self.role)

    def _backend(self) -> Backend:
        """Where the state is; it begins in the folder. Raises Refused."""
        backend = self._backend_or_none()
        if backend is None:
            self.in_folder.adopt(self.stack)
        return backend or self.in_folder

    def _backend_or_none(self) -> Backend | None:
        """Where the state is; None where there is none. Raises Refused."""
        self._questions.refuse_other_account()
        exists = self._questions.bucket_exists()
        if exists and self.in_bucket.resources(self.stack):
            return self.in_bucket
        if self.in_folder.resources(self.stack):
            return self.in_folder
        if exists:
            raise Refused(
                f"Bucket {StateNames(self.settings).bucket} exists, and no state here knows it: go on in the "
                "checkout where it was begun, whose .local/accounts has the state."
            )
        return None

    def _move(self, source: Backend, target: Backend) -> None:
        target.adopt(self.stack, source.export(self.stack))
        source.forget(self.stack)

    def _config(self, backend: Backend, plan: Plan) -> Config:
        return {
            "environment": self.settings.environment,
            "role": self.role,
            "access": plan.access,
            "keep": plan.keep,
            "existingProviders": self._providers_of_others(backend),
            "sharedProviders": self._shared_providers(),
        }

    def _providers_of_others(self, backend: Backend) -> list[str]:
        """Accounts whose identity provider for GitHub is there, and not of this stack."""
        if self.settings.ci is None:
            return []
        own = self._own_providers(backend)
        return [
            account
            for account in self.settings.accounts
            if AccountNames(self.settings, account).github_provider not in own
            and self._questions.provider_exists(account)
        ]

    def _shared_providers(self) -> list[str]:
        """Accounts where others use the identity provider of this stack."""
        backend = self._backend_or_none()
        own = self._own_providers(backend) if backend else set()
        return [
            account
            for account in self.settings.accounts
            if AccountNames(self.settings, account).github_provider in own
            and self._questions.others_of_provider(account)
        ]

    def _own_providers(self, backend: Backend) -> set[str]:
        resources = backend.resources(self.stack)
        return {resource["id"] for resource in resources if resource["type"] == PROVIDER and "id" in resource}
