"""Settings of metastores: where jobs find out which tables there are."""

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from moka.documents import Form, Section
from stacks.settings.fields import Account, Cidr, Region
from stacks.settings.spark import Namespace


def _with_a_port(address: str) -> str:
    port = urlsplit(address).port
    if not port:
        raise ValueError("write a port from 1 to 65535")
    return address


ThriftAddress = Annotated[
    str,
    Form(
        r"thrift://[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?:[0-9]{1,5}",
        "write thrift://<host>:<port>, such as thrift://metastore.example.com:9083",
    ),
    AfterValidator(_with_a_port),
]
DatabasePattern = Annotated[
    str,
    Form(
        r"[a-z0-9_]{1,255}|[a-z0-9_]{0,254}\*",
        "write the name of a database, lower case, digits and underscores, or its beginning and *",
    ),
]
Warehouse = Annotated[
    str,
    Form(
        r"s3a://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/([A-Za-z0-9!_.()=-]+/)*",
        "write s3a://<bucket>/<folder>/, with a slash at the end",
    ),
]


class Thrift(Section):
    """Hive's own server."""

    addresses: list[ThriftAddress] = Field(
        min_length=1,
        max_length=8,
        description="Addresses of its servers; the next one is used where one does not answer.",
    )
    cidrs: list[Cidr] = Field(
        default_factory=list, description="Networks in which they are, for the network policies of jobs."
    )
    namespace: Namespace | None = Field(default=None, description="Or the namespace in which they run.")

    @property
    def ports(self) -> list[int]:
        """TCP ports of its servers."""
        return sorted({urlsplit(address).port or 0 for address in self.addresses})


class Glue(Section):
    """AWS Glue's Data Catalog, of which jobs see Iceberg tables."""

    account: Account | None = Field(
        default=None, description="Whose catalog it is, by default the account of the cluster."
    )
    region: Region | None = Field(default=None, description="Where it is, by default where the cluster is.")
    access: Literal["read", "write"] = Field(
        default="read", description="What jobs may do with its tables; write includes read."
    )
    databases: list[DatabasePattern] = Field(
        min_length=1, max_length=20, description="Databases that jobs see, with all their tables."
    )


class Metastore(Section):
    """Where jobs find out which tables there are: `thrift` or `glue`. Data are in buckets of `uses`."""

    thrift: Thrift | None = Field(default=None, description="Hive's own server.")
    glue: Glue | None = Field(default=None, description="AWS Glue's Data Catalog, for Iceberg tables.")
    warehouse: Warehouse = Field(description="S3 folder of tables that have no location of their own.")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.thrift is None) == (self.glue is None):
            raise ValueError("needs either `thrift` or `glue`; set one of the two")
        return self
