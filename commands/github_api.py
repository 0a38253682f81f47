"""Comments on pull requests, by GitHub's REST API.

A pull request's comments are those of the issue of its number:
https://docs.github.com/en/rest/issues/comments.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

GITHUB = "https://api.github.com"
PAGE = 100
"""Comments that GitHub gives at a time, at most."""

REQUEST_TIMEOUT_SECONDS = 30


class CommentError(Exception):
    """Why a comment could not be written: a sentence."""


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A repository on GitHub. name: `owner/name`. url: of the API, without a slash at its end."""

    name: str
    token: str
    url: str = GITHUB

    @classmethod
    def of_environment(cls, variables: Mapping[str, str]) -> "Repository":
        """The repository that GitHub Actions runs for. Raises CommentError where variables lack."""
        if lacking := [name for name in ("GITHUB_REPOSITORY", "GITHUB_TOKEN") if not variables.get(name)]:
            raise CommentError(
                f"--comment needs {' and '.join(lacking)}: set what GitHub Actions sets, and a token that "
                "may write pull requests."
            )
        return cls(
            name=variables["GITHUB_REPOSITORY"],
            token=variables["GITHUB_TOKEN"],
            url=variables.get("GITHUB_API_URL", GITHUB).rstrip("/"),
        )

    def put_comment(self, number: int, marker: str, text: str) -> str:
        """Write a comment, over the one that begins with the marker if there is one; the comment's URL.

        Raises CommentError.
        """
        there = next((one for one in self._comments(number) if one.get("body", "").startswith(marker)), None)
        if there:
            answer = self._ask("PATCH", f"/issues/comments/{there['id']}", {"body": text})
        else:
            answer = self._ask("POST", f"/issues/{number}/comments", {"body": text})
        return str(answer.get("html_url", ""))

    def _comments(self, number: int) -> Iterator[Mapping[str, Any]]:
        page = 1
        while True:
            comments = self._ask("GET", f"/issues/{number}/comments?per_page={PAGE}&page={page}")
            yield from comments
            if len(comments) < PAGE:
                return
            page += 1

    def _ask(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self.url}/repos/{self.name}{path}",
            data=json.dumps(body).encode() if body else None,
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise CommentError(
                f"GitHub refuses {method} {path.partition('?')[0]} of {self.name} ({error.code} "
                f"{error.reason}): the token needs `pull-requests: write`, and the pull request has to exist."
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise CommentError(f"{self.url} cannot be asked ({reason}): see GITHUB_API_URL.") from None
