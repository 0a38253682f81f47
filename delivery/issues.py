"""The issue of an environment that has drifted: opened, kept up to date, closed once nothing has."""

from delivery import drift
from delivery.drift import StackDrift
from delivery.github import GitHub, is_ours, marked

NO_RESULT = StackDrift("", "the run that looks for drift ended without a result.", ())


def update(github: GitHub, environment: str, stacks: list[StackDrift], run: str) -> str:
    """Open, update or close the issue of an environment; what was done, in a sentence.

    stacks: what was found, none where the run left nothing. run: what people can look at, a URL.
    Raises GitHubError.
    """
    marker = f"<!-- moka drift {environment} -->"
    issues = [
        issue
        for issue in github.listed("issues?state=open")
        if "pull_request" not in issue and is_ours(issue, marker)
    ]
    state = drift.status(stacks)
    text = drift.text(environment, stacks or [NO_RESULT])
    body = marked(marker, f"{text}\n\nLast looked at by {run}.")
    if not issues and state == "none":
        return f"{environment} has not drifted."
    if not issues:
        created = github.send("POST", "issues", {"title": f"{environment} has drifted", "body": body})
        return f"Issue {created['number']} is open: {text.splitlines()[0]}"
    number = issues[0]["number"]
    closing = {"state": "closed", "state_reason": "completed"} if state == "none" else {}
    github.send("PATCH", f"issues/{number}", {"body": body, **closing})
    return f"Issue {number} is {'closed' if closing else 'up to date'}: {text.splitlines()[0]}"
