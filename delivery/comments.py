"""What a pull request is told of its previews: a comment for each stack, updated in place."""

from collections.abc import Iterable, Mapping

from delivery.github import GitHub, is_ours, marked

MARKER = "<!-- moka preview "

NO_REPORT = (
    "### {stack}: not previewed\n\n"
    "Its preview ended without a report, so nothing is known of what would change: see {run}."
)
UNTOUCHED = "### {stack}: not touched\n\nThe pull request as it is now does not touch this stack."


def post(github: GitHub, pull: int, stacks: Iterable[str], reports: Mapping[str, str], run: str) -> list[str]:
    """Write a comment for each stack that a pull request touches, and correct those of stacks that it touched
    before.

    reports: stack -> Markdown; a stack without one is said not to be previewed, so that what was said of an
    earlier commit does not stand. run: what people can look at, a URL; its artifacts have the drawings.
    The stacks whose comments are new or changed. Raises GitHubError.
    """
    path = f"issues/{pull}/comments"
    existing = {
        _stack_of(comment["body"]): comment for comment in github.listed(path) if is_ours(comment, MARKER)
    }
    texts = {stack: UNTOUCHED.format(stack=stack) for stack in existing}
    for stack in stacks:
        report = reports.get(stack) or NO_REPORT.format(stack=stack, run=run)
        # Beside the report there is a file; a comment has none, and links what has it.
        texts[stack] = report.replace(f"]({stack}.svg)", f"]({run}#artifacts)")
    changes = []
    for stack, text in texts.items():
        body = marked(f"{MARKER}{stack} -->", text)
        if stack not in existing:
            github.send("POST", path, {"body": body})
        elif existing[stack]["body"] != body:
            github.send("PATCH", f"issues/comments/{existing[stack]['id']}", {"body": body})
        else:
            continue
        changes.append(stack)
    return changes


def _stack_of(body: str) -> str:
    return body.removeprefix(MARKER).partition(" -->")[0]
