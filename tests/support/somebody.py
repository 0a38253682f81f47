"""Requests to the API server as somebody else, whom its administrator impersonates."""

import json

import urllib3

EVERYONE = "system:authenticated"


class Somebody:
    """A user of Kubernetes with groups, as the API server sees one."""

    def __init__(self, plane, user, groups=()):
        self._pool = urllib3.PoolManager(ca_certs=str(plane.credentials.authority))
        self._endpoint = plane.endpoint
        self._headers = urllib3.HTTPHeaderDict(
            {"Authorization": f"Bearer {plane.token_file.read_text().strip()}", "Impersonate-User": user}
        )
        for group in (EVERYONE, *groups):
            self._headers.add("Impersonate-Group", group)

    def refused(self, method, path, body=None, content="application/json"):
        """The message with which a request is refused; None where it is taken."""
        headers = self._headers.copy()
        headers["Content-Type"] = content
        answer = self._pool.request(
            method, self._endpoint + path, headers=headers, body=json.dumps(body) if body else None
        )
        return None if answer.status < 300 else json.loads(answer.data)["message"]

    def merge(self, path, change):
        """The same of a change."""
        return self.refused("PATCH", path, change, "application/merge-patch+json")
