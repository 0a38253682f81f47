"""What becomes of a job whose attempt has ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from moka.jobs.job import Restart
from moka.submission.observation import Observation
from moka.submission.reasons import FAULTS, Fault, Reason, Retries, retry_pause
from moka.submission.states import DesiredState, State

FOR_EVER = 1_000_000
"""Attempts of a job that always runs again."""


@dataclass(frozen=True)
class Verdict:
    """How an attempt ended. pause_seconds: until the next; None where the job has ended with it."""

    state: State
    reason: Reason
    message: str
    pause_seconds: int | None = None


def verdict(
    observation: Observation,
    desired: DesiredState,
    failures: Mapping[Fault, int],
    retries: Retries,
    attempt: int = 1,
) -> Verdict:
    """The verdict on an attempt, by what is seen of it and what is wanted of the job.

    failures: of attempts before it, by whose fault. attempt: its number, from 1.
    """
    if desired is not DesiredState.RUN and observation.state is not State.SUCCEEDED:
        return Verdict(State.CANCELLED, Reason.STOPPED, "stopped as its owner wanted")
    pause = None
    if observation.state is State.FAILED and (fault := FAULTS.get(observation.reason)):
        failed = {**failures, fault: failures.get(fault, 0) + 1}
        pause = retry_pause(observation.reason, failed, retries, attempt)
    return Verdict(observation.state, observation.reason, observation.message, pause)


def retries(restart: Restart) -> Retries:
    """The attempts that a job's owner wants after one that failed by its own fault."""
    user_code = {"never": 0, "on-failure": restart.retries, "always": FOR_EVER}[restart.policy]
    return Retries(user_code=user_code, pause_seconds=restart.seconds)
