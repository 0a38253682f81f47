"""What all pictures share: an SVG that needs no other file, and reads on light and on dark ground."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from moka.names import tier_queue

FONT = 'ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif'
SIZES: Mapping[str, int] = {"title": 18, "": 13, "head": 11, "small": 11, "tag": 11}
"""Kind of text -> its size, pixels."""

BOLD = frozenset({"title", "parent", "tag"})
"""Kinds of text that are bold."""


@dataclass(frozen=True)
class Paint:
    """A colour that a selector of CSS gives to a property, on light ground and on dark."""

    selector: str
    property: str
    light: str
    dark: str


INK = ("#1f2328", "#e6edf3")
MUTED = ("#59636e", "#9198a1")
LINE = ("#afb8c1", "#545d68")
ORANGE = ("#d55e00", "#ff8a3d")
BLUE = ("#0072b2", "#56b4e9")
GREEN = ("#009e73", "#2fd0a0")
"""On light ground and on dark; the last three are apart for every kind of eyes (Okabe and Ito's)."""

COMMON = (
    Paint("text", "fill", *INK),
    Paint(".head, .small", "fill", *MUTED),
    Paint(".ground", "fill", "#ffffff", "#0d1117"),
    Paint(".line", "fill", "#f6f8fa", "#151b23"),
    Paint(".branch", "stroke", *LINE),
    Paint(".room", "fill", "#dde2e7", "#2f3742"),
    Paint(".whole", "fill", *MUTED),
    Paint(f".{tier_queue(1)}", "fill", *ORANGE),
    Paint(f".{tier_queue(2)}", "fill", *BLUE),
    Paint(f".{tier_queue(3)}", "fill", *GREEN),
)


def document(
    title: str,
    size: tuple[float, float],
    parts: Iterable[str],
    *,
    paints: Iterable[Paint] = (),
    rules: Iterable[str] = (),
    description: str = "",
) -> str:
    """A drawing with its title at the top left.

    size: width and height, pixels. paints: colours beside those that all pictures have.
    rules: CSS that is the same on any ground, a rule each.
    description: what a screen reader says of it.
    """
    width, height = (f"{length:g}" for length in size)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
            *([f"<desc>{escape(description)}</desc>"] if description else []),
            f"<style>{_style([*COMMON, *paints], rules)}\n</style>",
            f'<rect class="ground" width="{width}" height="{height}"/>',
            text(24, 34, title, "title"),
            *parts,
            "</svg>\n",
        ]
    )


def _style(paints: Iterable[Paint], rules: Iterable[str]) -> str:
    sizes = "".join(f"\n  .{kind} {{ font-size: {size}px }}" for kind, size in SIZES.items() if kind)
    bold = ", ".join(f".{kind}" for kind in sorted(BOLD))
    fixed = "".join(f"\n  {rule}" for rule in rules)
    light = "".join(f"\n  {paint.selector} {{ {paint.property}: {paint.light} }}" for paint in paints)
    dark = "".join(f"\n    {paint.selector} {{ {paint.property}: {paint.dark} }}" for paint in paints)
    return (
        f"\n  text {{ font: {SIZES['']}px {FONT} }}{sizes}\n  {bold} {{ font-weight: 600 }}"
        f"\n  .branch {{ fill: none }}{fixed}{light}\n  @media (prefers-color-scheme: dark) {{{dark}\n  }}"
    )


def text(x: float, y: float, content: str, kind: str = "") -> str:
    """Text from `x` to the right, on the line `y`; its kinds, with blanks between, decide its size."""
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:g}" y="{y:g}">{escape(content)}</text>'


# Em in hundredths, rounded up: of DejaVu Sans Bold, the widest of the fonts that browsers take for ours.
_WIDTHS: Mapping[int, str] = {
    35: " 'ijl",
    40: ",./:;IJ\\|·",
    45: "-f",
    50: "!()[]_`rt–",
    55: '"*',
    60: "?csz",
    65: "Lx",
    70: "$0123456789EFTaekovy",
    75: "CPSYZbdghnpqu{}",
    80: "ABKRVX",
    85: "#+<=>DGHNU^~−±→×",
    90: "&OQ",
    95: "w",
    100: "@M…",
    105: "%m",
    115: "W",
}
_WIDTH_OF = {character: width for width, characters in _WIDTHS.items() for character in characters}
_REGULAR = 0.93
"""Width of DejaVu Sans by that of its bold, at the most in text such as ours."""


def text_width(content: str, kind: str = "") -> float:
    """Pixels that text takes at the most."""
    kinds = kind.split()
    size = next((SIZES[name] for name in kinds if name in SIZES), SIZES[""])
    ems = sum(_WIDTH_OF.get(character, 115) for character in content) / 100
    return ems * size * (1 if BOLD.intersection(kinds) else _REGULAR)


def shortened(content: str, width: float, kind: str = "") -> str:
    """Text that is not wider than so many pixels: what does not fit gives way to `…`."""
    if text_width(content, kind) <= width + 0.01:
        return content
    while content and text_width(f"{content}…", kind) > width:
        content = content[:-1]
    return f"{content.rstrip(' ,')}…"
