"""What an identity may do with databases and tables in AWS Glue's Data Catalog."""

from collections.abc import Sequence

from moka.components.aws.policy import Statement
from moka.glue_actions import ACTIONS, GlueAccess


def glue_statements(
    access: GlueAccess, account_id: str, region: str, databases: Sequence[str], partition: str
) -> list[Statement]:
    """The statement that gives an identity this access to databases and all their tables.

    databases: their names, or a beginning and `*`. Who asks for a table needs its catalog and database too:
        https://docs.aws.amazon.com/glue/latest/dg/glue-specifying-resource-arns.html
    """
    beginning = f"arn:{partition}:glue:{region}:{account_id}"
    return [
        Statement(
            sid="Tables",
            actions=ACTIONS[access],
            resources=[
                f"{beginning}:catalog",
                *(f"{beginning}:database/{database}" for database in databases),
                *(f"{beginning}:table/{database}/*" for database in databases),
            ],
        )
    ]
