"""CloudWatch Logs as boto3's client answers it: moto's answers, and what it forgets of a group, in files."""

from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service


class Logs(Service):
    """A client of CloudWatch Logs in one region."""

    def create_log_group(self, **members: Any) -> Members:
        """Make a group."""
        answer: Members = self.client.create_log_group(
            **{name: value for name, value in members.items() if name != "deletionProtectionEnabled"}
        )
        name = members["logGroupName"]
        self.store.remove("log-group", name)
        if "deletionProtectionEnabled" in members:
            self._put(name, deletionProtectionEnabled=members["deletionProtectionEnabled"])
        return answer

    def describe_log_groups(self, **members: Any) -> Members:
        """Groups, a page of them."""
        answer: Members = self.client.describe_log_groups(**members)
        return {**answer, "logGroups": [self._with_stored(group) for group in answer["logGroups"]]}

    def associate_kms_key(self, logGroupName: str, kmsKeyId: str) -> Members:
        """Encrypt a group with another key from now on."""
        return self._put(logGroupName, kmsKeyId=kmsKeyId)

    def disassociate_kms_key(self, logGroupName: str) -> Members:
        """Encrypt a group with AWS's own key from now on."""
        return self._put(logGroupName, kmsKeyId=None)

    def put_log_group_deletion_protection(
        self, logGroupIdentifier: str, deletionProtectionEnabled: bool
    ) -> Members:
        """Protect a group from deletion, or no longer."""
        return self._put(logGroupIdentifier, deletionProtectionEnabled=deletionProtectionEnabled)

    def delete_log_group(self, logGroupName: str) -> Members:
        """Delete a group."""
        if (self.store.get("log-group", logGroupName) or {}).get("deletionProtectionEnabled"):
            message = f"Log group {logGroupName} has deletion protection enabled"
            self.refuse("ValidationException", message, "DeleteLogGroup")
        answer: Members = self.client.delete_log_group(logGroupName=logGroupName)
        self.store.remove("log-group", logGroupName)
        return answer

    def _put(self, group: str, **members: Any) -> Members:
        self.store.update("log-group", group, members=members)
        return {}

    def _with_stored(self, group: Mapping[str, Any]) -> Members:
        members = {**group, **(self.store.get("log-group", group["logGroupName"]) or {})}
        return {name: value for name, value in members.items() if value is not None}
