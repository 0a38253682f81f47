"""What a plugin is: a `Provider`, and the types of its methods."""

import random
import secrets
from dataclasses import dataclass

from localcloud.errors import Refusal
from localcloud.plugins.differences import Diff, differences
from localcloud.plugins.values import Properties


@dataclass(frozen=True)
class Target:
    """The resource that a request is about.

    id: empty before it is created.
    """

    urn: str
    id: str = ""

    @property
    def stack(self) -> str:
        """Name of the stack."""
        return self.urn.split("::")[0].rsplit(":", 1)[1]

    @property
    def type(self) -> str:
        """Type token, for example `aws:ec2/vpc:Vpc`."""
        return self.urn.split("::")[2].rsplit("$", 1)[-1]

    @property
    def name(self) -> str:
        """Logical name."""
        return self.urn.split("::", 3)[3]


@dataclass(frozen=True)
class Failure:
    """Why an input is not accepted.

    property: path of the input, empty for the whole.
    """

    property: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Naming:
    """How to name resources that the program does not name.

    seed: random, of the engine's choice, so that a plan and its update agree.
    proposed: by the engine's configuration; None without one.
    disabled: no name may be made.
    """

    seed: bytes = b""
    proposed: str | None = None
    disabled: bool = False

    def name(self, logical: str, length: int = 7, separator: str = "-", max_length: int | None = None) -> str:
        """A name from the logical name, with random hexadecimal digits at its end."""
        if self.proposed is not None:
            return self.proposed
        digits = (
            f"{random.Random(self.seed).getrandbits(4 * length):0{length}x}"
            if self.seed
            else secrets.token_hex(length)[:length]
        )
        ending = separator + digits
        return logical[: max_length - len(ending) if max_length else None] + ending


@dataclass(frozen=True)
class ReadResult:
    """A resource as it is: what `refresh` and `import` take over."""

    id: str
    inputs: Properties
    outputs: Properties


class InitializationFailed(Exception):
    """A resource that exists and is not as it should be: the engine keeps it, and the next `up` goes on."""

    def __init__(self, id: str, outputs: Properties, inputs: Properties, reason: str) -> None:
        super().__init__(reason)
        self.id, self.outputs, self.inputs, self.reason = id, outputs, inputs, reason


class Provider:
    """A plugin. Its methods are called in parallel, from many threads."""

    name: str
    """Package, for example `aws`."""

    stack: str = ""
    """Stack that it is configured for; empty where the engine does not say."""

    def check_config(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """The configuration as it will be used, and what is wrong with it."""
        return inputs, []

    def diff_config(self, old: Properties, new: Properties) -> Diff:
        """Whether a change of configuration replaces the provider, and so everything it made: never."""
        return Diff(kinds=differences(old, new))

    def configure(self, inputs: Properties) -> None:
        """Take the configuration. Must be quick, and call nothing but who it is."""

    def check(
        self, target: Target, old: Properties, new: Properties, naming: Naming
    ) -> tuple[Properties, list[Failure]]:
        """Inputs with names and defaults filled in, and what is wrong with them."""
        return new, []

    def diff(self, target: Target, old: Properties, state: Properties, new: Properties) -> Diff:
        """How the new inputs differ from the old."""
        return Diff(kinds=differences(old, new))

    def create(
        self, target: Target, inputs: Properties, preview: bool, timeout: float
    ) -> tuple[str, Properties]:
        """Make it: its id and outputs. In a preview: change nothing."""
        raise Refusal(f"{target.type} is not simulated by the laptop cloud.")

    def read(self, target: Target, inputs: Properties, state: Properties) -> ReadResult | None:
        """The resource as it is now; None when it is gone. Without inputs it is imported."""
        return ReadResult(target.id, inputs, state)

    def update(
        self,
        target: Target,
        old: Properties,
        state: Properties,
        new: Properties,
        preview: bool,
        timeout: float,
    ) -> Properties:
        """Change it: its outputs. In a preview: change nothing."""
        raise Refusal(f"{target.type} is not simulated by the laptop cloud.")

    def delete(self, target: Target, inputs: Properties, state: Properties, timeout: float) -> None:
        """Delete it; fine when it is gone already."""
        raise Refusal(f"{target.type} is not simulated by the laptop cloud.")

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """Answer a function call of a program."""
        raise Refusal(f"{token} is not simulated by the laptop cloud.")

    def cancel(self) -> None:
        """The user wants to stop: begin nothing that takes long."""

    def explain(self, error: Exception) -> str | None:
        """An error as one sentence; None for an unknown kind of error."""
        return None
