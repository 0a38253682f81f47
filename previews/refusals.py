"""Why a preview is refused: sentences that say what is wrong, where, and what to do. All of them are here."""

from collections.abc import Sequence

from moka.mistakes import InvalidDocument

LONGEST = 300
"""Characters that are quoted of what the engine or a program says, at most."""

UPDATE = "a newer engine's, so bring `moka` up to it, or preview with the engine of this checkout"
PRINT = "give what `pulumi preview --json` prints"


class UnreadablePreview(InvalidDocument):
    """Why there is nothing to say of a preview, in one sentence.

    errors: what the engine, or a policy that refuses, says of it, whole.
    """

    def __init__(self, sentence: str, errors: Sequence[str] = ()) -> None:
        super().__init__(_printable(sentence))
        self.errors = tuple(errors)


def quoted(text: object) -> str:
    """What others say, for a sentence: in one line, to be printed anywhere, and not for ever."""
    words = _printable(" ".join(str(text).split()))
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def empty(source: str) -> UnreadablePreview:
    """Nothing was printed."""
    return UnreadablePreview(f"{source} is empty: look at what pulumi wrote to stderr, and preview again.")


def not_text(source: str) -> UnreadablePreview:
    """Bytes that are no text."""
    return UnreadablePreview(f"{source} is no text in UTF-8: {PRINT}.")


def not_json(source: str, line: int, reason: str) -> UnreadablePreview:
    """Something else was printed, or between."""
    return UnreadablePreview(
        f"{source} is not JSON at line {line} ({quoted(reason)}): {PRINT}, and its stdout only."
    )


def cut_off(source: str, proof: str) -> UnreadablePreview:
    """Not all of it is there. proof: how that is known, as `has 1 of 9 steps to update`."""
    return UnreadablePreview(
        f"{source} {quoted(proof)}, so it is cut off: preview again, and keep all of it."
    )


def no_preview(source: str, reason: str) -> UnreadablePreview:
    """Something else in JSON."""
    return UnreadablePreview(f"{source} is JSON, and no preview ({reason}): {PRINT} of one stack.")


def malformed(source: str, at: str, reason: str) -> UnreadablePreview:
    """A member of another kind than the engine writes."""
    return UnreadablePreview(
        f"{source} is no preview as the engine writes them: {quoted(at)} {quoted(reason)}; preview again, "
        "and keep what it prints as it is."
    )


def several(source: str, what: Sequence[str] | str) -> UnreadablePreview:
    """Previews of more than one stack, or more than one of it. what: names, or a number of them."""
    names = what if isinstance(what, str) else f"steps of {quoted(', '.join(what))}"
    return UnreadablePreview(f"{source} has {names}: give a file for each preview.")


def newer(source: str, novelty: str) -> UnreadablePreview:
    """Something that only another engine knows."""
    return UnreadablePreview(f"{source} has {quoted(novelty)}, which is not known here: {UPDATE}.")


def no_summary(source: str, errors: Sequence[str]) -> UnreadablePreview:
    """The engine never came to its end."""
    return UnreadablePreview(
        f"{source} has no summary, so the preview did not end or is cut off: look at what pulumi wrote to "
        "stderr, and preview again.",
        errors,
    )


def no_steps(source: str) -> UnreadablePreview:
    """An end without anything before it."""
    return UnreadablePreview(
        f"{source} has no step of the stack itself: preview again, and keep all that it prints."
    )


def corrupt(source: str) -> UnreadablePreview:
    """The engine does not trust the state."""
    return UnreadablePreview(f"{source} says that the stack's state may be corrupt: repair that first.")


def no_mere_preview(source: str) -> UnreadablePreview:
    """The same form, of something that changed the stack."""
    return UnreadablePreview(f"{source} is of an `up`, `destroy` or `refresh`: give a preview's.")


def failed(source: str, errors: Sequence[str]) -> UnreadablePreview:
    """The engine, the program or a provider had errors; never empty."""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return UnreadablePreview(
        f"{source} is of a preview that failed: {quoted(errors[0].removeprefix('error: '))}{more}; correct "
        "that, and preview again.",
        errors,
    )


def failed_silently(source: str) -> UnreadablePreview:
    """A document, which has nothing of policies."""
    return UnreadablePreview(
        f"{source} is of a preview that failed and does not say why, as where a policy refuses: preview "
        "again with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true."
    )
