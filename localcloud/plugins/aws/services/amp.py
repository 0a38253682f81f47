"""Amazon Managed Prometheus as boto3's client answers it: moto's workspaces, and what is in them, in files.

Any id is taken as a workspace that is there: it is made apart from what sends metrics to it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service, now

ACTIVE = {"statusCode": "ACTIVE"}


class Amp(Service):
    """A client of Amazon Managed Prometheus in one region."""

    # --- rules ---

    def create_rule_groups_namespace(self, **members: Any) -> Members:
        """Put rules into a workspace, under a new name."""
        operation = "CreateRuleGroupsNamespace"
        self.validate(operation, members)
        workspace, name = members["workspaceId"], members["name"]
        if self.store.get("rules", workspace, name):
            self.refuse("ConflictException", f"Rule group namespace {name} already exists", operation)
        place = f"arn:{self.api.partition}:aps:{self.region}:{self.api.account}"
        arn = f"{place}:rulegroupsnamespace/{workspace}/{name}"
        tags = dict(members.get("tags") or {})
        namespace = {"arn": arn, "name": name, "createdAt": now(), "tags": tags, "data": members["data"]}
        return self._put_rules(workspace, name, namespace)

    def put_rule_groups_namespace(self, **members: Any) -> Members:
        """Put others in their place."""
        self.validate("PutRuleGroupsNamespace", members)
        workspace, name = members["workspaceId"], members["name"]
        self.describe_rule_groups_namespace(workspace, name)
        return self._put_rules(workspace, name, {"data": members["data"]})

    def describe_rule_groups_namespace(self, workspaceId: str, name: str) -> Members:
        """Rules of a name."""
        rules = self.store.get("rules", workspaceId, name)
        if rules is None:
            message = f"Rule group namespace {name} not found"
            self.refuse("ResourceNotFoundException", message, "DescribeRuleGroupsNamespace")
        return {"ruleGroupsNamespace": rules}

    def delete_rule_groups_namespace(self, workspaceId: str, name: str) -> Members:
        """Delete them."""
        self.describe_rule_groups_namespace(workspaceId, name)
        self.store.remove("rules", workspaceId, name)
        return {}

    def tag_resource(self, resourceArn: str, tags: Mapping[str, str]) -> Members:
        """Put tags on rules or on a workspace."""
        if ":rulegroupsnamespace/" not in resourceArn:
            answer: Members = self.client.tag_resource(resourceArn=resourceArn, tags=tags)
            return answer
        return self._retag(resourceArn, lambda own: {**own, **tags})

    def untag_resource(self, resourceArn: str, tagKeys: list[str]) -> Members:
        """Take tags from them."""
        if ":rulegroupsnamespace/" not in resourceArn:
            answer: Members = self.client.untag_resource(resourceArn=resourceArn, tagKeys=tagKeys)
            return answer
        return self._retag(resourceArn, lambda own: {k: v for k, v in own.items() if k not in tagKeys})

    def _retag(self, arn: str, change: Callable[[Members], Members]) -> Members:
        workspace, name = arn.split("/")[1:]
        rules = self.describe_rule_groups_namespace(workspace, name)["ruleGroupsNamespace"]
        self.store.update("rules", workspace, name, members={"tags": change(rules["tags"])})
        return {}

    def _put_rules(self, workspace: str, name: str, members: Members) -> Members:
        rules = {**members, "status": ACTIVE, "modifiedAt": now()}
        return self.store.update("rules", workspace, name, members=rules)

    # --- where alerts go ---

    def create_alert_manager_definition(self, **members: Any) -> Members:
        """Say where a workspace's alerts go, which nothing said so far."""
        operation = "CreateAlertManagerDefinition"
        self.validate(operation, members)
        if self.store.get("alert-manager", members["workspaceId"]):
            self.refuse("ConflictException", "The alert manager definition already exists", operation)
        return self._put_definition(members)

    def put_alert_manager_definition(self, **members: Any) -> Members:
        """Say where they go instead."""
        self.validate("PutAlertManagerDefinition", members)
        self.describe_alert_manager_definition(members["workspaceId"])
        return self._put_definition(members)

    def describe_alert_manager_definition(self, workspaceId: str) -> Members:
        """Where they go."""
        definition = self.store.get("alert-manager", workspaceId)
        if definition is None:
            message = f"Alert manager definition not found for workspace {workspaceId}"
            self.refuse("ResourceNotFoundException", message, "DescribeAlertManagerDefinition")
        return {"alertManagerDefinition": definition}

    def delete_alert_manager_definition(self, workspaceId: str) -> Members:
        """Have them go nowhere."""
        self.describe_alert_manager_definition(workspaceId)
        self.store.remove("alert-manager", workspaceId)
        return {}

    def _put_definition(self, members: Members) -> Members:
        definition = {"data": members["data"], "status": ACTIVE, "modifiedAt": now()}
        self.store.put("alert-manager", members["workspaceId"], thing=definition)
        return {"status": ACTIVE}
