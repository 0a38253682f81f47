"""A node with the kubelet, Fluent Bit and S3, a second at a time: what becomes of each line that pods write.

Sizes are numbers of lines. What it takes for granted stands in fluent/fluent-bit at v5.1.1 and in
kubernetes/kubernetes at v1.34.4; the file is named where it is used. No clock, no threads, no files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

ROTATION_SECONDS = 10
"""Between two looks of the kubelet: pkg/kubelet/apis/config/v1beta1/defaults.go."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is set. Seconds and lines; retry_limit: failures of an upload after which it is given up.

    newest_only: files are found by links that name only the newest of a container.
    """

    upload: int
    timer: int
    store: int
    queue: int
    refresh: int = 5
    total_file: int = 400
    chunk: int = 50
    retry_limit: int = 2**31 - 1
    newest_only: bool = False
    log_size: int = 100
    log_files: int = 5
    rotate_wait: int = 60


@dataclass(frozen=True)
class Line:
    """One line: a number of its own, and the second in which it was written."""

    number: int
    written: int


@dataclass(eq=False)
class LogFile:
    """A file of a container. named: there is a name by which it can be opened and read as it is."""

    container: str
    lines: list[Line] = field(default_factory=list)
    named: bool = True


@dataclass(eq=False)
class Upload:
    """A file of the S3 output. locked: nothing is added any more. left: by a process that has ended."""

    container: str
    begun: int
    lines: list[Line] = field(default_factory=list)
    locked: bool = False
    left: bool = False
    failures: int = 0
    next_try: int = 0


class Node:
    """The node. Public: what became of lines, and `second`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.second = 0
        self.s3_answers = True
        self.written: list[Line] = []
        self.arrived: list[tuple[Line, int]] = []
        self.evicted: list[Line] = []
        self.given_up: list[Line] = []
        self.torn: list[Line] = []
        self.most_kept = 0
        self._numbers = count()
        self._containers: dict[str, list[LogFile]] = {}
        # On disk, and there after a restart.
        self._offsets: dict[LogFile, int] = {}
        self._chunks: list[tuple[str, list[Line]]] = []
        self._uploads: list[Upload] = []
        # In memory.
        self._running: int | None = 0
        self._open: dict[LogFile, int | None] = {}
        self._held: dict[LogFile, list[Line]] = {}
        self._just_chunked: dict[LogFile, int] = {}

    @property
    def kept(self) -> int:
        """Lines in Fluent Bit's buffers on disk."""
        return self._queued + self._stored

    @property
    def never_read(self) -> list[Line]:
        """Lines of files that were compressed or removed before anybody read them to their end."""
        return [
            line
            for files in self._containers.values()
            for file in files
            if not file.named and file not in self._open
            for line in file.lines[self._offsets.get(file, 0) :]
        ]

    def step(self, writes: Mapping[str, int]) -> None:
        """A second in which containers write so many lines."""
        self.second += 1
        for container, lines in writes.items():
            self._write(container, lines)
        if self.second % ROTATION_SECONDS == 0:
            self._rotate()
        if self._running is not None:
            self._read()
            if self._send_what_was_left():
                self._fill_store()
                self._upload()
        self.most_kept = max(self.most_kept, self.kept)

    def stop(self) -> None:
        """SIGTERM: what is held is flushed (src/multiline/flb_ml_stream.c, flb_ml_stream_id_destroy_all)."""
        if self._running is not None:
            for file, lines in self._held.items():
                self._chunk(file.container, lines)
            self._end()

    def kill(self, *, offset_saved: bool) -> None:
        """SIGKILL. Offsets are those of what was consumed, with the open record; they are saved after chunks
        (plugins/in_tail/tail_file.c). With offset_saved that record is gone; without, the lines of the last
        second come once more.
        """
        if self._running is None:
            return
        for file, lines in self._held.items():
            if offset_saved:
                self.torn += lines
            else:
                self._offsets[file] -= len(lines)
        if not offset_saved:
            for file, chunked in self._just_chunked.items():
                self._offsets[file] -= chunked
        self._end()

    def start(self) -> None:
        """A process begins, with what the one before left."""
        if self._running is None:
            self._running = self.second
            for upload in self._uploads:
                upload.left = True

    def remove(self, container: str) -> None:
        """Its pod is deleted: the kubelet removes its files (pkg/kubelet/kuberuntime/kuberuntime_gc.go)."""
        for file in self._containers.get(container, []):
            file.named = False

    def _end(self) -> None:
        self._running = None
        self._open, self._held, self._just_chunked = {}, {}, {}

    def _write(self, container: str, lines: int) -> None:
        files = self._containers.setdefault(container, [])
        if not files or not files[-1].named:
            files.append(LogFile(container))
        for _ in range(lines):
            line = Line(next(self._numbers), self.second)
            files[-1].lines.append(line)
            self.written.append(line)

    def _rotate(self) -> None:
        """All rotated files but the newest are compressed (pkg/kubelet/logs/container_log_manager.go)."""
        for container, files in self._containers.items():
            if files[-1].named and len(files[-1].lines) > self.settings.log_size:
                for file in files[:-1]:
                    file.named = False
                files.append(LogFile(container))

    def _read(self) -> None:
        settings = self.settings
        assert self._running is not None
        if (self.second - self._running) % settings.refresh == 0:
            for files in self._containers.values():
                for file in files[-1:] if settings.newest_only else files:
                    if file.named:
                        self._open.setdefault(file, None)
        self._just_chunked = {}
        for file in dict.fromkeys([*self._held, *self._open]):
            self._read_file(file)
        for file, closing in list(self._open.items()):
            if file is not self._containers[file.container][-1] or not file.named:
                self._open[file] = closing = closing or self.second + settings.rotate_wait
                if self.second >= closing:
                    del self._open[file]

    def _read_file(self, file: LogFile) -> None:
        """New lines to chunks, but for the last, which may go on: for a second (`flush_timeout`)."""
        new = file.lines[self._offsets.get(file, 0) :] if file in self._open else []
        whole = [*self._held.pop(file, []), *new]
        if new:
            self._held[file] = [whole.pop()]
            self._offsets[file] = len(file.lines)
        if whole:
            self._just_chunked[file] = len(whole)
        self._chunk(file.container, whole)

    def _chunk(self, container: str, lines: list[Line]) -> None:
        """On disk; the oldest chunks make room for what comes (src/flb_input_chunk.c)."""
        for at in range(0, len(lines), self.settings.chunk):
            part = lines[at : at + self.settings.chunk]
            while self._chunks and self._queued + len(part) > self.settings.queue:
                self.evicted += self._chunks.pop(0)[1]
            self._chunks.append((container, part))

    def _send_what_was_left(self) -> bool:
        """Files that are left are sent as they are, each flush anew, before anything else comes to files:
        whether all of them are (plugins/out_s3/s3.c, flush_init and put_all_chunks)."""
        left = [upload for upload in self._uploads if upload.left]
        if self.s3_answers:
            for upload in left:
                self.arrived += [(line, self.second) for line in upload.lines]
                self._uploads.remove(upload)
        return self.s3_answers or not left

    def _fill_store(self) -> None:
        """Chunks to files; one without room is tried again (plugins/out_s3/s3_store.c, "Buffer is full")."""
        waiting = []
        for container, lines in self._chunks:
            if self._stored + len(lines) > self.settings.store:
                waiting.append((container, lines))
                continue
            files = [
                upload for upload in self._uploads if upload.container == container and not upload.locked
            ]
            if not files:
                files = [Upload(container, self.second)]
                self._uploads.append(files[0])
            files[0].lines += lines
            files[0].locked = len(files[0].lines) >= self.settings.total_file
        self._chunks = waiting

    def _upload(self) -> None:
        """One after another, and a failed one again 2 s later for each failure (s3.c, s3_upload_queue)."""
        assert self._running is not None
        if (self.second - self._running) % self.settings.timer:
            return
        for upload in self._uploads:
            upload.locked = upload.locked or self.second - upload.begun >= self.settings.upload
        for upload in [one for one in self._uploads if one.locked]:
            if upload.next_try > self.second:
                return
            if self.s3_answers:
                self.arrived += [(line, self.second) for line in upload.lines]
            else:
                upload.failures += 1
                upload.next_try = self.second + 2 * upload.failures
                if upload.failures <= self.settings.retry_limit:
                    return
                self.given_up += upload.lines
            self._uploads.remove(upload)

    @property
    def _queued(self) -> int:
        return sum(len(lines) for _, lines in self._chunks)

    @property
    def _stored(self) -> int:
        return sum(len(upload.lines) for upload in self._uploads)
