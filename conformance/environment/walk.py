"""The walk: an environment comes up, is looked at, is upgraded, is looked at again, and goes."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from conformance.environment.checks import CHECKS
from conformance.environment.outside import Defect, Outside
from conformance.environment.probes import refusals
from conformance.environment.versions import TrialSettings
from stacks.settings import load
from stacks.waves import stack_names

Outcome = Literal["passed", "failed", "simulated"]

OPTIONS: Mapping[str, Sequence[str]] = {
    "up": ("--yes", "--skip-preview", "--suppress-outputs", "--non-interactive"),
    # Hooks of the program wait for drivers on groups that retire.
    "destroy": ("--yes", "--skip-preview", "--non-interactive", "--run-program"),
}
"""Verb of pulumi -> its options."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of a step or a check.

    of: a step (`up`, `outputs`, `refusals`, `upgrade`, `down`, `leftovers`), or a check.
    cluster: of a check; else empty.
    outcome: `simulated` where what it asks about does not exist. seen: in words. seconds: that it took.
    """

    of: str
    outcome: Outcome
    seen: str
    seconds: float
    cluster: str = ""


@dataclass
class Walk:
    """The walk of one environment.

    command: what runs pulumi, {verb} being `up` or `destroy`, and {stack} a stack's name.
    lacking: name of a check -> why what it asks about does not exist there.
    progress: takes lines for who waits.
    """

    environment: str
    command: Sequence[str]
    lacking: Mapping[str, str]
    progress: Callable[[str], object]
    results: list[Result] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)

    def run(self, trial: TrialSettings, left: bool = False) -> list[Result]:
        """Walk to the end. What came up goes again, whatever fails or interrupts it.

        left: whether one that was killed left something. It goes first, as clusters take no earlier version.
        """
        try:
            trial.begin()
            if (not left or self._step("clear away", self._down)) and self._step("up", self._up):
                self._look()
                self._step("refusals", lambda: self._refusals(trial.kept.parent))
                if trial.upgrades:
                    trial.upgrade()
                    if self._step("upgrade", self._up):
                        self._look()
        finally:
            trial.end()
            if self._step("down", self._down) and self._step("leftovers", self._leftovers):
                trial.forget()
        return self.results

    def _step(self, name: str, action: Callable[[], str], cluster: str = "") -> bool:
        """Do something, and note what came of it; whether it passed."""
        self.progress(" ".join(filter(None, (cluster, name))))
        began, outcome, sentence = time.monotonic(), "passed", ""
        try:
            sentence = action()
        except Defect as defect:
            outcome, sentence = "failed", str(defect)
        except Exception as error:
            # What a client of AWS or Kubernetes makes of an answer that nobody expected is a finding too.
            outcome, sentence = "failed", f"{type(error).__name__}: {' '.join(str(error).split())[:500]}"
        seconds = round(time.monotonic() - began, 1)
        result = Result(of=name, outcome=outcome, seen=sentence, seconds=seconds, cluster=cluster)  # type: ignore[arg-type]
        self.results.append(result)
        self.progress(f"  {result.outcome}: {result.seen}")
        return outcome == "passed"

    def _up(self) -> str:
        for stack in stack_names(self.environment):
            self._pulumi("up", stack)
        return f"{', '.join(stack_names(self.environment))} with Kubernetes {', '.join(self._versions())}"

    def _versions(self) -> list[str]:
        return sorted({cluster.version for cluster in load(self.environment).clusters.values()})

    def _down(self) -> str:
        for stack in stack_names(self.environment, down=True):
            self._pulumi("destroy", stack)
        return "every stack is empty"

    def _leftovers(self) -> str:
        process = subprocess.run(
            [sys.executable, "-m", "commands", "leftovers", self.environment, "--json"],
            capture_output=True,
            text=True,
        )
        if process.returncode:
            names = [thing["arn"] for thing in json.loads(process.stdout)] if process.returncode == 1 else []
            raise Defect(f"left in AWS: {', '.join(names)}" if names else process.stderr.strip())
        return "AWS has nothing of it"

    def _look(self) -> None:
        settings = load(self.environment)
        if not self._step("outputs", self._outputs):
            return
        for name in settings.clusters:
            outside = Outside(settings, name, self.outputs)
            for check in CHECKS:
                if reason := self.lacking.get(check.name):
                    self.results.append(
                        Result(of=check.name, outcome="simulated", seen=reason, seconds=0.0, cluster=name)
                    )
                else:
                    self._step(check.name, lambda check=check, outside=outside: check.question(outside), name)  # type: ignore[misc]

    def _refusals(self, folder: Path) -> str:
        """Of the home cluster only: EKS answers alike of all."""
        settings = load(self.environment)
        folder.mkdir(parents=True, exist_ok=True)
        return refusals(Outside(settings, settings.home, self.outputs), folder, self.progress)

    def _outputs(self) -> str:
        for stack in stack_names(self.environment):
            command = ["pulumi", "stack", "output", "--json", "--show-secrets", "--stack", stack]
            process = subprocess.run(command, capture_output=True, text=True)
            if process.returncode:
                raise Defect(f"pulumi does not tell the outputs of {stack}: {process.stderr.strip()}")
            self.outputs |= json.loads(process.stdout)
        return f"{sum('/' in name for name in self.outputs)} layers of clusters and foundations are told of"

    def _pulumi(self, verb: str, stack: str) -> None:
        words = [word.replace("{verb}", verb).replace("{stack}", stack) for word in self.command]
        # What people read goes beside the report, which scripts may read.
        with subprocess.Popen([*words, *OPTIONS[verb]], stdout=sys.stderr) as process:
            try:
                status = process.wait()
            except KeyboardInterrupt:
                # It had the same Ctrl-C: killed before it ends what is under way, it would leave its lock,
                # and `destroy` could not begin.
                process.wait()
                raise
        if status:
            raise Defect(f"pulumi {verb} of {stack} failed with status {status}, as it says above")
