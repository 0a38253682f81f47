"""Clients of AWS for the doctor: moto's, stubs where moto has no answer, and what is printed of it."""

from collections.abc import Callable
from typing import Any

import boto3
from botocore.stub import Stubber

from doctor import report
from doctor.account import Place
from doctor.examination import ask_question
from doctor.question import Question

Answers = list[tuple[str, dict[str, Any], dict[str, Any] | str]]
"""Requests in order: operation, parameters, and the answer or the code of an error."""

SESSION = boto3.Session("test", "test")
"""For all tests: it keeps the descriptions of services, which take a second each to read."""


def client(service: str) -> Any:
    """The client of a service."""
    make: Any = SESSION.client
    return make(service, region_name="us-east-1")


class Scripted:
    """A client that gives these answers, all of which have to be requested."""

    def __init__(self, service: str, answers: Answers) -> None:
        self.client = client(service)
        self.stubber = Stubber(self.client)
        for operation, parameters, answer in answers:
            if isinstance(answer, str):
                self.stubber.add_client_error(operation, answer, "for the test", expected_params=parameters)
            else:
                self.stubber.add_response(operation, answer, parameters)

    def __enter__(self) -> Any:
        self.stubber.activate()
        return self.client

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            self.stubber.assert_no_pending_responses()
        self.stubber.deactivate()


def lines(question: Callable[[Place], Any], place: Place) -> list[str]:
    """The lines of a question's findings, without padding."""
    findings = ask_question(Question("The question", question), place)
    output = report.text("trial", findings).splitlines()[: len(findings)]
    return [" ".join(line.split()) for line in output]
