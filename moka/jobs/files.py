"""The files that a job names: its program, and its dependencies besides packages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from moka.jobs.job import Job

DEPENDENCIES = ("jars", "files", "py_files", "archives")


@dataclass(frozen=True)
class NamedFile:
    """A file that a job names.

    at: where in the job, such as `dependencies.jars`.
    """

    at: str
    url: str


@dataclass(frozen=True)
class S3Object:
    """An object of S3; the key of a folder is empty or ends with a slash."""

    bucket: str
    key: str

    @classmethod
    def of(cls, url: str) -> "S3Object | None":
        """The object of a URL, as Spark reads it: what follows `#` is a name for the file. None of others."""
        match = re.fullmatch(r"s3a://([^/#]+)/?([^#]*)(#.*)?", url)
        return cls(match[1], match[2]) if match else None

    @property
    def url(self) -> str:
        """As the AWS command line writes it."""
        return f"s3://{self.bucket}/{self.key}"

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.key.rpartition("/")[2]

    def under(self, folder: str) -> bool:
        """Whether it is in a folder, `s3a://bucket/folder/`."""
        return f"s3a://{self.bucket}/{self.key}".startswith(folder.rstrip("/") + "/")


def named_files(job: Job) -> Iterator[NamedFile]:
    """All of them, in the order of the job file's fields."""
    yield NamedFile("main_file", job.main_file)
    for kind in DEPENDENCIES:
        for url in getattr(job.dependencies, kind):
            yield NamedFile(f"dependencies.{kind}", url)


def named_objects(job: Job) -> Iterator[tuple[NamedFile, S3Object]]:
    """Those of them that are on S3, with their objects."""
    for file in named_files(job):
        if s3_object := S3Object.of(file.url):
            yield file, s3_object
