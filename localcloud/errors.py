"""The one error that the laptop cloud shows to people."""


class Refusal(Exception):
    """One sentence: what is wrong, where, and what to do. Shown as it is, without a traceback."""
