"""Settings of CI: who may deploy the environment without a person's credentials."""

from typing import Annotated

from pydantic import Field

from moka.documents import Form, Section

GitHubRepository = Annotated[
    str,
    Form(
        r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}",
        "write <owner>/<repository> as GitHub does, without a wildcard",
    ),
]


class Ci(Section):
    """CI that previews and deploys the environment."""

    github: GitHubRepository = Field(
        description="Repository `<owner>/<repository>` whose workflows may take the environment's roles: "
        "jobs of its GitHub environment of the same name the one that deploys, jobs of "
        "`<environment>-preview` the other."
    )
