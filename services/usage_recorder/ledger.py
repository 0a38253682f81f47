"""What a recorder goes on from, and the records that belong to it: both change in one step, or neither.

Parts are put where no question looks (`staged`). Then the state is put that names them, over the one that
this writer knows, which S3 refuses where another has been there since (`bucket.py`): this is the step. Then
they are moved to where they count, which can be done again: a part that is not staged any more was moved. So

- what a writer staged without saving its state never counts, and its successor clears it away;
- what it saved without moving it, its successor moves before anything else;
- of two writers one saves. The other, however late it wakes up, finds nothing staged that it could move.

A writer begins by putting its name into the state: from then on its predecessor can save no more.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson
from botocore.exceptions import ClientError

from moka.usage import places
from services.usage_recorder.bucket import Bucket, PreconditionFailed

VERSION = 1
"""Of the state."""


class Superseded(Exception):
    """Another recorder of the cluster has taken over."""


class InvalidState(Exception):
    """The state in the bucket is none; the message is a sentence."""


@dataclass(frozen=True)
class Addition:
    """A part to be: where it will count, its file, and the parts whose place it takes."""

    key: str
    file: Path
    replaces: Sequence[str] = ()


@dataclass(frozen=True)
class Move:
    """A part that is staged: where it is, where it will count, and the parts whose place it takes."""

    staged: str
    key: str
    replaces: Sequence[str] = ()


@dataclass
class Save:
    """A step on its way: it is tried with the same content until it is done."""

    number: int
    body: bytes
    moves: list[Move]
    additions: Sequence[Addition]
    saved: bool = False


@dataclass
class Ledger:
    """The state of a cluster's recorder.

    eks_cluster: its name in EKS.
    writer: of letters and digits; no other process ever has it.
    """

    bucket: Bucket
    eks_cluster: str
    writer: str
    number: int = 0
    """Of the state in the bucket; that of a part is its state's."""
    _tag: str | None = field(default=None, init=False)

    def open(self) -> dict[str, Any]:
        """Take over, move what the one before saved, and clear away what it did not; what it saved, {} at
        first. Raises Superseded where another one takes over at the same time."""
        nothing: dict[str, Any] = {"number": 0, "moves": [], "content": {}}
        envelope, self._tag = self._read() or (nothing, None)
        self.number = envelope["number"] + 1
        moves = [Move(**move) for move in envelope["moves"]]
        self._put(_envelope(self.number, self.writer, moves, envelope["content"]), self.number)
        self._move(moves)
        # Those of a later state are of another one that has taken over from this one.
        leftovers = [
            entry.key
            for entry in self.bucket.objects(places.staged_prefix(self.eks_cluster))
            if (number := places.staged_number(entry.key)) is not None and number <= self.number
        ]
        self.bucket.delete(leftovers)
        content: dict[str, Any] = envelope["content"]
        return content

    def step(self, content: dict[str, Any], additions: Sequence[Addition]) -> Save:
        """The next step, with the number that its parts have."""
        number = self.number + 1
        moves = [
            Move(
                places.staged_key(self.eks_cluster, number, self.writer, index),
                addition.key,
                addition.replaces,
            )
            for index, addition in enumerate(additions)
        ]
        return Save(number, _envelope(number, self.writer, moves, content), moves, additions)

    def complete(self, save: Save) -> None:
        """Do what is not done yet of a step. Raises Superseded, and FAILURES: then it is tried again."""
        if not save.saved:
            for move, addition in zip(save.moves, save.additions, strict=True):
                self.bucket.put(move.staged, addition.file)
            self._put(save.body, save.number)
            self.number, save.saved = save.number, True
        self._move(save.moves)

    def tag(self) -> str | None:
        """Changes whenever somebody saves."""
        return next((entry.tag for entry in self.bucket.objects(places.state_key(self.eks_cluster))), None)

    def _put(self, body: bytes, number: int) -> None:
        key = places.state_key(self.eks_cluster)
        try:
            self._tag = self.bucket.put_over(key, body, self._tag)
        except PreconditionFailed:
            # By this writer, where the answer to a request was lost that did what it should.
            state = self._read()
            if state is None or (state[0]["writer"], state[0]["number"]) != (self.writer, number):
                raise Superseded(f"{key} is another recorder's now") from None
            self._tag = state[1]

    def _move(self, moves: Sequence[Move]) -> None:
        if not moves:
            return
        staged = self._staged_keys()
        for move in moves:
            if move.staged in staged:
                # Missing for a moment, which a question can tell, rather than there twice, which it cannot.
                self.bucket.delete(move.replaces)
                try:
                    self.bucket.copy(move.staged, move.key)
                except ClientError:
                    # Without the right to list everything, S3 does not say whether there is none.
                    if move.staged in self._staged_keys():
                        raise
                self.bucket.delete([move.staged])

    def _staged_keys(self) -> set[str]:
        return {entry.key for entry in self.bucket.objects(places.staged_prefix(self.eks_cluster))}

    def _read(self) -> tuple[dict[str, Any], str] | None:
        # Looked for by a list: without one, an answer 403 could also mean that there is none.
        if self.tag() is None:
            return None
        key = places.state_key(self.eks_cluster)
        body, tag = self.bucket.read(key)
        try:
            envelope = json.loads(gzip.decompress(body))
            version = envelope["version"]
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            raise InvalidState(
                f"{key} is no state of a recorder: bring back the version before it, or delete it for a new "
                "beginning with a gap."
            ) from None
        if version != VERSION:
            raise InvalidState(
                f"{key} is of version {version}, and only {VERSION} can be read: run the recorder that wrote "
                "it."
            )
        return envelope, tag


def _envelope(number: int, writer: str, moves: Sequence[Move], content: dict[str, Any]) -> bytes:
    envelope = {
        "version": VERSION,
        "number": number,
        "writer": writer,
        "moves": [asdict(move) for move in moves],
        "content": content,
    }
    return gzip.compress(orjson.dumps(envelope), compresslevel=1)
