"""`python -m commands.rollout`: the stacks of an environment in the order in which a change reaches them.

python -m commands.rollout prod                         its stacks, a line each
python -m commands.rollout prod --wave canary --json    those of one wave, as JSON
python -m commands.rollout prod --files                 writes the Pulumi files that its stacks lack
python -m commands.rollout prod -- pulumi up --stack {stack}
                                                      a command for each, up to the first that fails
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from stacks.settings import Environment, InvalidDocument, load, path_of
from stacks.slices import Slice, references, slices


def order(settings: Environment, wave: str | None = None) -> list[str]:
    """Names of all stacks, each after those that it reads, wave after wave; or of those of one wave.

    A stack without a cluster, such as that of the foundations, belongs to the first wave that needs it.
    Raises InvalidDocument when there is no such wave, or when a stack of it has clusters of another.
    """
    pieces = {piece.stack: piece for piece in slices(settings).values()}
    read = references(settings, list(pieces.values()))
    reached: dict[str, str | None] = {}
    for name, clusters in settings.waves.items():
        for stack in _each_after_what_it_reads(_with(pieces, clusters), read):
            reached.setdefault(stack, name)
    for stack in _each_after_what_it_reads(pieces, read):
        reached.setdefault(stack, None)
    if wave is None:
        return list(reached)
    if wave not in settings.waves:
        raise InvalidDocument(
            f"stacks/{settings.environment}.yaml names no wave {wave!r}; "
            f"it names {', '.join(settings.waves) or 'none'}."
        )
    mine = settings.waves[wave]
    stacks = [stack for stack, name in reached.items() if name == wave]
    for stack in {*stacks, *_with(pieces, mine)}:
        if others := sorted(pieces[stack].clusters.difference(mine)):
            raise InvalidDocument(
                f"stacks/{settings.environment}.yaml: waves.{wave}: its stack {stack} has "
                f"{', '.join(others)} too, which would change with it: name slices that part them, as in "
                f"shared: {{layers: [foundation]}} and one a cluster, {mine[0]}: {{clusters: [{mine[0]}]}}."
            )
    return stacks


def teardown(settings: Environment, wave: str | None = None) -> list[str]:
    """The same the other way round; of a wave only what holds clusters, as other waves stand on the rest."""
    pieces = {piece.stack: piece for piece in slices(settings).values()}
    return [s for s in reversed(order(settings, wave)) if wave is None or pieces[s].clusters]


def chosen(stack: str, wave: str | None = None, *, down: bool = False) -> list[str]:
    """The stacks that a name means: an environment's (`prod`), or one of them (`prod.shared`).

    Raises InvalidDocument when there is none of that name.
    """
    environment, _, name = stack.partition(".")
    settings = load(environment)
    if not name:
        return teardown(settings, wave) if down else order(settings, wave)
    if wave is not None:
        raise InvalidDocument(
            f"{stack} is one stack and {wave} a wave of {environment}: name one of the two."
        )
    if name not in settings.slices:
        raise InvalidDocument(
            f"stacks/{environment}.yaml names no slice {name!r}; "
            f"it names {', '.join(settings.slices) or 'none'}."
        )
    return [stack]


def lacking_files(stacks: Iterable[str]) -> list[Path]:
    """Pulumi's files of these stacks that are not there."""
    files = [path_of(stack.partition(".")[0]).with_name(f"Pulumi.{stack}.yaml") for stack in stacks]
    return [path for path in files if not path.exists()]


def write_file(path: Path) -> None:
    """Write Pulumi's file of a stack."""
    environment, _, name = path.name.removeprefix("Pulumi.").removesuffix(".yaml").partition(".")
    named = f"  moka:slice: {name}\n" if name else ""
    path.write_text(f"config:\n  moka:environment: {environment}\n{named}")


def run(stacks: Sequence[str], command: Sequence[str]) -> int:
    """Run a command for each stack, put in place of `{stack}`; the exit status of the first that fails."""
    for at, stack in enumerate(stacks):
        if len(stacks) > 1:
            print(f"\n{stack}, {at + 1} of {len(stacks)}", flush=True)
        if status := _status([word.replace("{stack}", stack) for word in command]):
            if len(stacks) > 1:
                print(
                    f"{stack} failed. Done: {_listed(stacks[:at])}. Left: {_listed(stacks[at + 1 :])}. "
                    "Put it right and run this again: what is done stays as it is.",
                    file=sys.stderr,
                )
            return status
    return 0


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; exit status."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    command = words[end + 1 :]
    parser = argparse.ArgumentParser(
        prog="python -m commands.rollout", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("stack", help="an environment, or one of its stacks: prod, prod.shared")
    parser.add_argument("--wave", help="only the stacks of this wave of the settings")
    parser.add_argument("--down", action="store_true", help="in the order in which they are taken down")
    told = parser.add_mutually_exclusive_group()
    told.add_argument("--json", action="store_true", help="as JSON, with the waves")
    told.add_argument("--files", action="store_true", help="write the Pulumi files that stacks lack")
    asked = parser.parse_args(words[:end])
    try:
        stacks = chosen(asked.stack, asked.wave, down=asked.down)
    except InvalidDocument as error:
        print(error, file=sys.stderr)
        return 1
    lacking = lacking_files(stacks)
    if asked.files:
        for path in lacking:
            write_file(path)
            print(f"stacks/{path.name}")
        return 0
    if command and lacking:
        print(
            f"Pulumi's file is not there for {_listed([f'stacks/{path.name}' for path in lacking])}: "
            f"`make stack-files STACK={asked.stack}` writes it.",
            file=sys.stderr,
        )
        return 1
    if command:
        return run(stacks, command)
    print(json.dumps(stacks) if asked.json else "\n".join(stacks))
    return 0


def _with(pieces: Mapping[str, Slice], clusters: Iterable[str]) -> list[str]:
    """Stacks that have anything of these clusters."""
    return [stack for stack, piece in pieces.items() if piece.clusters.intersection(clusters)]


def _each_after_what_it_reads(stacks: Iterable[str], read: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """These stacks and all that they read, some more than once."""
    for stack in stacks:
        yield from _each_after_what_it_reads(read[stack], read)
        yield stack


def _status(command: Sequence[str]) -> int:
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                # The command had the same Ctrl-C, and ends what is under way.
                continue


def _listed(stacks: Sequence[str]) -> str:
    return ", ".join(stacks) or "none"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
