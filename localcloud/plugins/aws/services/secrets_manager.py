"""Secrets Manager as boto3's client answers it: moto's answers, and names that are not free yet."""

from typing import Any

from localcloud.plugins.aws.api import not_found
from localcloud.plugins.aws.services.base import Members, Service


class SecretsManager(Service):
    """A client of Secrets Manager in one region."""

    def create_secret(self, **members: Any) -> Members:
        """Make a secret, whose name none has that is scheduled for deletion.

        https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html; its words are
        those of aws-ia/terraform-aws-eks-blueprints#1733.
        """
        try:
            description = self.client.describe_secret(SecretId=members.get("Name", ""))
        except Exception as error:
            if not not_found(error):
                raise
            description = {}
        if description.get("DeletedDate"):
            message = (
                "You can't create this secret because a secret with this name is already scheduled for "
                "deletion."
            )
            self.refuse("InvalidRequestException", message, "CreateSecret")
        answer: Members = self.client.create_secret(**members)
        return answer
