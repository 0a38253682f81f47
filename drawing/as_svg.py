"""The picture as SVG: accounts one below the other, and to the left lines of what reads what."""

from collections.abc import Iterator

from drawing import foundation_box
from drawing.foundation_box import Frame
from drawing.model import OPERATIONS, Account, Picture, Reading
from drawing.readings import LANE, TIP, Lane, Ports, draw, lanes, lanes_width
from drawing.shapes import BADGE, GAP, HEADER, PAINTS, ROLES, RULES, Box, group, header, rectangle
from moka.svg import document, shortened, text, text_width

MARGIN = 24
TOP = 52
"""Height of the title."""

LINE = 18
"""Height of a line of remarks."""


def as_svg(picture: Picture) -> str:
    """A drawing that needs no other file."""
    frame = foundation_box.measure(picture)
    afar = lanes(_afar(picture))
    x, width = MARGIN + lanes_width(len(afar)), frame.width + 2 * GAP
    remarks = [
        text(MARGIN, TOP + LINE * index, shortened(line, x + width - MARGIN, "small"), "small")
        for index, line in enumerate(picture.remarks)
    ]
    y = float(TOP + LINE * len(remarks))
    legend = list(_legend(picture, y))
    y += LINE
    boxes: dict[str, Box] = {}
    accounts = []
    for account in picture.accounts:
        drawn, height = _account(frame, account, Box(x, y, width, 0), boxes)
        accounts.append(drawn)
        y += height + 2 * GAP
    lines = _lines(picture, afar, boxes)
    size = (x + width + MARGIN, y - 2 * GAP + MARGIN)
    return document(
        picture.title,
        size,
        [*remarks, *legend, *accounts, *lines],
        paints=PAINTS,
        rules=RULES,
        description=_description(picture),
    )


def _afar(picture: Picture) -> list[Reading]:
    """What is read of foundations by clusters that do not stand on them."""
    near = [reading for f in picture.foundations for reading in foundation_box.below(picture, f)]
    foundations = {foundation.layer.address for foundation in picture.foundations}
    return [r for r in picture.readings if r.read in foundations and r not in near]


def _account(frame: Frame, account: Account, area: Box, boxes: dict[str, Box]) -> tuple[str, float]:
    """The account, and its height; `area` is where it begins, and its width."""
    y = area.y + HEADER
    content = []
    for foundation in account.foundations:
        drawn, height = foundation_box.draw_foundation(frame, foundation, area.x + GAP, y, boxes)
        content.append(drawn)
        y += height + GAP
    box = Box(area.x, area.y, area.width, y - area.y)
    title = header(frame.picture, box, "", account.name, "")
    return group(box, "shade", account.name, [*title, *content]), box.height


def _lines(picture: Picture, afar: list[Lane], boxes: dict[str, Box]) -> Iterator[str]:
    """Lines of what is read of foundations: inside of them, and from afar at the edge of the picture."""
    places = [
        (lane, boxes[foundation.layer.address].x - TIP - LANE * index)
        for foundation in picture.foundations
        for index, lane in enumerate(lanes(foundation_box.below(picture, foundation)), start=1)
    ]
    places += [(lane, MARGIN + LANE * index) for index, lane in enumerate(afar)]
    ports = Ports(boxes, [("left", lane) for lane, _ in places])
    for lane, x in places:
        yield from draw(ports, "left", lane, x)


def _legend(picture: Picture, y: float) -> Iterator[str]:
    """What colours, lines and marks mean, in one line."""
    x = float(MARGIN)

    def entry(name: str, width: float) -> str:
        nonlocal x
        place = x + width
        x = place + text_width(name, "small") + 2 * GAP
        return text(place, y + 4, name, "small")

    roles = {item.role for f in picture.foundations for c in f.clusters for item in c.node_groups}
    for role in filter(roles.__contains__, ROLES):
        yield f'<circle class="{role}" cx="{x + 5:g}" cy="{y:g}" r="4.5"/>'
        yield entry(f"{role} nodes", 15)
    for across, meaning in ((False, "reads"), (True, "reads another stack")):
        if any(reading.across == across for reading in picture.readings):
            yield f'<path class="{"across" if across else "reads"}" d="M{x:g} {y:g} h22"/>'
            tip = "across-tip" if across else "tip"
            yield f'<path class="{tip}" d="M{x + 28:g} {y:g} l-6 -3.5 v7 z"/>'
            yield entry(meaning, 33)
    for operation, name in OPERATIONS.items() if picture.previewed else ():
        box = Box(x, y - BADGE / 2, 18, BADGE)
        yield rectangle(box, f"badge {operation}", radius=7)
        yield text(x + 5, y + 4, name.symbol, f"tag {operation}")
        yield entry(name.done, 23)


def _description(picture: Picture) -> str:
    """The picture in a sentence."""
    foundations = list(picture.foundations)
    clusters = [cluster for foundation in foundations for cluster in foundation.clusters]
    numbers = (
        (len(picture.accounts), "account"),
        (len(foundations), "foundation"),
        (len(clusters), "cluster"),
        (sum(len(cluster.node_groups) for cluster in clusters), "node group"),
    )
    text = ", ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in numbers)
    return f"{picture.title}: {text}. {' '.join(picture.remarks)}".strip()
