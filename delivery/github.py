"""GitHub's REST API, as far as comments and issues need it (docs.github.com/rest)."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

REQUEST_TIMEOUT_SECONDS = 30
PAGE_SIZE = 100
BODY_LIMIT = 65_536
"""Characters of a comment or issue: longer ones are refused (telia-oss/github-pr-resource#259)."""

CUT = "\n\nThe rest is cut off, as it is longer than a comment can be: see the run."


class GitHubError(Exception):
    """What GitHub refused, or that it cannot be asked."""


@dataclass(frozen=True)
class GitHub:
    """A repository on GitHub.

    api: URL of the API. repository: owner/name. token: may write what is asked to be written.
    """

    api: str
    repository: str
    token: str = field(repr=False)

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> "GitHub":
        """The repository whose workflow runs this. Raises GitHubError outside of one."""
        names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
        if missing := [name for name in names if not variables.get(name)]:
            raise GitHubError(
                f"{' and '.join(missing)} must be set: GitHub's runners set all but GITHUB_TOKEN, which the "
                "workflow gives to the step."
            )
        return cls(*(variables[name] for name in names))

    def listed(self, path: str) -> Iterator[dict[str, Any]]:
        """All items of a list, page by page. Raises GitHubError."""
        page = 1
        while items := self._request(
            "GET", f"{path}{'&' if '?' in path else '?'}per_page={PAGE_SIZE}&page={page}"
        ):
            yield from items
            if len(items) < PAGE_SIZE:
                return
            page += 1

    def send(self, method: str, path: str, content: Mapping[str, Any]) -> dict[str, Any]:
        """Create (POST) or change (PATCH) something; what it is then. Raises GitHubError."""
        answer: dict[str, Any] = self._request(method, path, content)
        return answer

    def _request(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self.api}/repos/{self.repository}/{path}",
            data=None if content is None else json.dumps(content).encode(),
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
            raise GitHubError(f"GitHub refused {method} {path}: {error.code} {_reason(error)}") from None
        except (OSError, ValueError) as error:
            raise GitHubError(f"GitHub does not answer {method} {path}: {error}.") from None


def marked(marker: str, text: str) -> str:
    """Text of a comment or issue that is found again by its first line, which nobody sees; cut to the
    limit."""
    whole = f"{marker}\n{text}"
    return whole if len(whole) <= BODY_LIMIT else whole[: BODY_LIMIT - len(CUT)] + CUT


def is_ours(item: Mapping[str, Any], marker: str) -> bool:
    """Whether a comment or issue begins with a marker, and a workflow wrote it: people may quote one."""
    return str(item.get("body") or "").startswith(marker) and item["user"]["type"] == "Bot"


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["message"])
    except (ValueError, KeyError, TypeError):
        return str(error.reason)
