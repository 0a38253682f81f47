"""Amazon Managed Grafana as boto3's client answers it: all of it in files, as moto has none."""

import uuid
from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service, now

SHOWN_AS = {
    "workspaceName": "name",
    "workspaceDescription": "description",
    "workspaceDataSources": "dataSources",
}
"""Member of requests -> of answers, where they differ."""


class Grafana(Service):
    """A client of Amazon Managed Grafana in one region."""

    def create_workspace(self, **members: Any) -> Members:
        """Make a workspace."""
        self.validate("CreateWorkspace", members)
        id = f"g-{uuid.uuid4().hex[:10]}"
        providers = members.pop("authenticationProviders")
        return self._put(
            id,
            created=now(),
            endpoint=f"{id}.grafana-workspace.{self.region}.amazonaws.com",
            grafanaVersion="10.4",
            status="ACTIVE",
            authentication={"providers": providers},
            **_description(members),
        )

    def describe_workspace(self, workspaceId: str) -> Members:
        """A workspace."""
        workspace = self.store.get("workspace", workspaceId)
        if workspace is None:
            message = f"Workspace {workspaceId} not found"
            self.refuse("ResourceNotFoundException", message, "DescribeWorkspace")
        return {"workspace": workspace}

    def update_workspace(self, workspaceId: str, **members: Any) -> Members:
        """Change a workspace."""
        self.validate("UpdateWorkspace", {"workspaceId": workspaceId, **members})
        self.describe_workspace(workspaceId)
        return self._put(workspaceId, **_description(members))

    def update_workspace_authentication(
        self, workspaceId: str, authenticationProviders: list[str]
    ) -> Members:
        """Change how people sign in."""
        self.describe_workspace(workspaceId)
        self._put(workspaceId, authentication={"providers": authenticationProviders})
        return {"authentication": {"providers": authenticationProviders}}

    def delete_workspace(self, workspaceId: str) -> Members:
        """Delete a workspace."""
        workspace = self.describe_workspace(workspaceId)
        self.store.remove("workspace", workspaceId)
        return workspace

    def tag_resource(self, resourceArn: str, tags: Mapping[str, str]) -> Members:
        """Put tags on a workspace."""
        id, own = self._tags(resourceArn)
        self._put(id, tags={**own, **tags})
        return {}

    def untag_resource(self, resourceArn: str, tagKeys: list[str]) -> Members:
        """Take tags from a workspace."""
        id, own = self._tags(resourceArn)
        self._put(id, tags={key: value for key, value in own.items() if key not in tagKeys})
        return {}

    def _tags(self, arn: str) -> tuple[str, dict[str, str]]:
        id = arn.rpartition("/")[2]
        return id, self.describe_workspace(id)["workspace"].get("tags", {})

    def _put(self, id: str, **members: Any) -> Members:
        return {"workspace": self.store.update("workspace", id, members={"id": id, **members})}


def _description(members: Mapping[str, Any]) -> dict[str, Any]:
    return {SHOWN_AS.get(name, name): value for name, value in members.items() if name != "clientToken"}
