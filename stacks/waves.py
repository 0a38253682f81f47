"""The order in which a change reaches the stacks of an environment, and its waves."""

from collections.abc import Iterable, Iterator, Mapping

from stacks.settings import Environment, InvalidDocument, load
from stacks.slices import Slice, references, slices


def stack_names(name: str, wave: str | None = None, *, down: bool = False) -> list[str]:
    """The stacks that a name means, in order: an environment's (`prod`), or one of them (`prod.shared`).

    wave: only the stacks of this wave. down: in the order in which they are destroyed.
    Raises InvalidDocument when there is none of that name.
    """
    environment, _, slice_name = name.partition(".")
    settings = load(environment)
    if not slice_name:
        return teardown_order(settings, wave) if down else rollout_order(settings, wave)
    if wave is not None:
        raise InvalidDocument(f"{name} is one stack and {wave} a wave of {environment}: name one of the two.")
    if slice_name not in settings.slices:
        raise InvalidDocument(
            f"stacks/{environment}.yaml names no slice {slice_name!r}; "
            f"it names {', '.join(settings.slices) or 'none'}."
        )
    return [name]


def rollout_order(settings: Environment, wave: str | None = None) -> list[str]:
    """Names of all stacks, each after those that it reads, wave after wave; or of those of one wave.

    A stack without a cluster, such as that of the foundations, belongs to the first wave that needs it.
    Raises InvalidDocument when there is no such wave, or when a stack of it has clusters of another.
    """
    pieces = {piece.stack: piece for piece in slices(settings).values()}
    read = references(settings, list(pieces.values()))
    wave_of: dict[str, str | None] = {}
    for name, clusters in settings.waves.items():
        for stack in _after_what_they_read(_stacks_of(pieces, clusters), read):
            wave_of.setdefault(stack, name)
    for stack in _after_what_they_read(pieces, read):
        wave_of.setdefault(stack, None)
    if wave is None:
        return list(wave_of)
    if wave not in settings.waves:
        raise InvalidDocument(
            f"stacks/{settings.environment}.yaml names no wave {wave!r}; "
            f"it names {', '.join(settings.waves) or 'none'}."
        )
    clusters = settings.waves[wave]
    stacks = [stack for stack, name in wave_of.items() if name == wave]
    for stack in {*stacks, *_stacks_of(pieces, clusters)}:
        if other_clusters := sorted(pieces[stack].clusters.difference(clusters)):
            raise InvalidDocument(
                f"stacks/{settings.environment}.yaml: waves.{wave}: its stack {stack} has "
                f"{', '.join(other_clusters)} too, which would change with it: name slices that separate "
                f"them, as in shared: {{layers: [foundation]}} and one a cluster, "
                f"{clusters[0]}: {{clusters: [{clusters[0]}]}}."
            )
    return stacks


def teardown_order(settings: Environment, wave: str | None = None) -> list[str]:
    """The rollout's order reversed; of a wave only stacks with clusters, as other waves stand on the rest."""
    pieces = {piece.stack: piece for piece in slices(settings).values()}
    stacks = reversed(rollout_order(settings, wave))
    return [stack for stack in stacks if wave is None or pieces[stack].clusters]


def _stacks_of(pieces: Mapping[str, Slice], clusters: Iterable[str]) -> list[str]:
    """Stacks that have anything of these clusters."""
    return [stack for stack, piece in pieces.items() if piece.clusters.intersection(clusters)]


def _after_what_they_read(stacks: Iterable[str], read: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """These stacks and all that they read, each after what it reads, some more than once."""
    for stack in stacks:
        yield from _after_what_they_read(read[stack], read)
        yield stack
