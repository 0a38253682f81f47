"""The gate before moto: a call with the credentials of a role is answered by IAM first."""

from collections.abc import Callable, Iterator

from aws_rules.iam.evaluation import Denial, Resource, Role, Undecided, denial, listed, statements_of
from aws_rules.iam.permissions import Request, message
from aws_rules.iam.questions import CALLERS, Call, Question, questions
from aws_rules.rule import Unknown
from localcloud import unknowns
from localcloud.authorization import state, wire
from localcloud.authorization.asking import ALLOWED, HEADER
from localcloud.cloud import Cloud

Application = Callable[[wire.Environ, wire.StartResponse], wire.Body]


class Gate:
    """A WSGI application that refuses what IAM denies, and leaves the rest to another.

    Credentials that are no role's are an administrator's, and so are those of a role that this AWS has not.
    """

    def __init__(self, application: Application, cloud: Cloud) -> None:
        self.application, self.cloud = application, cloud

    def __call__(self, environ: wire.Environ, start: wire.StartResponse) -> wire.Body:
        """Answer a request."""
        signature = wire.signed(environ)
        session = state.session_of(signature.key) if signature else None
        if signature is None or session is None:
            return self.application(environ, start)
        request = wire.message(environ, signature.service)
        if request is None:
            return self.application(environ, start)
        caller = state.caller_of(session)
        if caller is not None:
            call = Call(
                service=signature.service,
                operation=str(request.model.name),
                members=state.completed(
                    signature.service, request.members, session.account, signature.region
                ),
                region=signature.region,
                account=session.account,
            )
            refusal = next(self._refusals(caller, call), None)
            if refusal is not None:
                code, status = wire.DENIED[request.protocol]
                return wire.refusal(request, code, status, refusal, start)
        if HEADER in environ:
            return wire.refusal(request, *ALLOWED, start)
        return self.application(environ, start)

    def _refusals(self, caller: Role, call: Call) -> Iterator[str]:
        """What IAM says of a call that it denies, in its words."""
        for question in (*questions(call), *state.questions_of_missing_objects(call)):
            for arn in question.resources or (None,):
                yield from self._refusal(caller, question, arn)

    def _refusal(self, caller: Role, question: Question, arn: str | None) -> Iterator[str]:
        try:
            why = _denial(caller, question, arn) if arn else _denial_on_anything(caller, question)
        except Undecided as undecided:
            note = Unknown(rule=CALLERS, resource=f"role {caller.name}", lacks=str(undecided))
            unknowns.note(self.cloud, note)
            return
        if why is not None:
            resource = _resource(question, arn or "*", caller)
            request = Request(
                action=question.action, resource=resource, context=question.context, endpoint=None
            )
            yield message(caller, request, why)


def _denial(caller: Role, question: Question, arn: str) -> Denial | None:
    context = {**state.context_of(arn), **question.context}
    return denial(caller, question.action, _resource(question, arn, caller), context)


def _resource(question: Question, arn: str, caller: Role) -> Resource:
    return state.resource_of(question.action.partition(":")[0], arn, caller.account)


def _denial_on_anything(caller: Role, question: Question) -> Denial | None:
    """Why an action is denied whatever it is on; None where it is allowed on something."""
    arns = {"*": None} | {
        str(resource): None
        for policy in caller.policies
        for statement in statements_of(policy)
        for resource in listed(statement.get("Resource", "*"))
    }
    denials = [_denial(caller, question, arn) for arn in arns]
    return None if None in denials else denials[0]
