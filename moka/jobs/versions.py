"""Versions of Spark that jobs may use, and how they differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SparkVersion = Literal["4.1", "3.5"]


@dataclass(frozen=True, kw_only=True)
class Release:
    """A version of Spark.

    release: with its patch version, for the operator.
    hadoop: that it is built with; `hadoop-aws` has the same version.
    credentials: class that gives S3A the credentials of EKS Pod Identity, and no others.
    sdk: the oldest AWS SDK for Java that knows Pod Identity, which an image must bring.
    celeborn: the oldest Celeborn that has a client for it.
    """

    release: str
    hadoop: str
    credentials: str
    sdk: str
    celeborn: tuple[int, int]


RELEASES: Mapping[SparkVersion, Release] = {
    "4.1": Release(
        release="4.1.2",
        hadoop="3.4.2",
        credentials="software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider",
        # S3A makes it by a static `create`, which 2.25.70 does not have, and 2.26.31 does (seen by javap).
        sdk="software.amazon.awssdk:bundle 2.26.31",
        # apache/celeborn: README.md at v0.7.0; v0.6 has one only for 4.0.
        celeborn=(0, 7),
    ),
    "3.5": Release(
        release="3.5.5",
        hadoop="3.3.4",
        # With Pod Identity's address in its environment it asks that, and not the node.
        credentials="com.amazonaws.auth.EC2ContainerCredentialsProviderWrapper",
        # hadoop-aws 3.3.4 itself depends on 1.12.262, which is older.
        sdk="com.amazonaws:aws-java-sdk-bundle 1.12.746",
        # Dynamic allocation without tracking of shuffles; client-spark at v0.4.0.
        celeborn=(0, 4),
    ),
}
