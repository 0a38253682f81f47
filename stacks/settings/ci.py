"""Settings of CI: who may deploy the environment without a person's credentials."""

import re
from typing import Annotated

from pydantic import Field

from moka.documents import Form, Section
from stacks.settings.fields import Principal

GitHubRepository = Annotated[
    str,
    Form(
        r"[A-Za-z0-9][A-Za-z0-9-]{0,38}(/[A-Za-z0-9._-]{1,100}|@[0-9]+/[A-Za-z0-9._-]{1,100}@[0-9]+)",
        "write <owner>/<repository> or <owner>@<id>/<repository>@<id> as GitHub does, without a wildcard",
    ),
]


class Ci(Section):
    """CI that previews and deploys the environment."""

    github: GitHubRepository = Field(
        description="Repository whose workflows may take the environment's roles: jobs of its GitHub "
        "environment of the same name the one that deploys, jobs of `<environment>-preview` the other. "
        "`<owner>/<repository>`, or `<owner>@<id>/<repository>@<id>` where GitHub's tokens have both ids, "
        "as those of repositories made, renamed or transferred since July 15, 2026 do."
    )

    people: list[Principal] = Field(
        default_factory=list,
        description="Roles of people, who may take the deploy role at home by hand: for the first `up`, the "
        "doctor, and what was cut off. They have to be there: IAM takes no other in a trust policy. Nobody "
        "by default.",
    )

    @property
    def repository(self) -> str:
        """`<owner>/<repository>`."""
        return re.sub("@[0-9]+", "", self.github)

    @property
    def has_ids(self) -> bool:
        """Whether the ids of owner and repository are in the settings."""
        return self.repository != self.github
