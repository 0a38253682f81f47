from xml.etree import ElementTree

from moka.queues import POLICIES, Limit, Queue, QueueTree, Resources
from moka.queues.picture import as_svg, as_text

SVG = "{http://www.w3.org/2000/svg}"
CAPACITY = Resources.of(cpu="100", memory="1Ti")
TIERS = (
    Queue(name="tier1", policy=POLICIES[1], guaranteed=Resources.of("20", "256Gi"), max_applications=3),
    Queue(name="tier3", policy=POLICIES[3], maximum=Resources.of(cpu="10500m")),
)
LIMIT = Limit(users=("*",), groups=("night",), max_applications=2, maximum=Resources.of(cpu="4"))
TREE = QueueTree(
    organizations=(
        Queue(
            name="a",
            maximum=Resources.of("50", "512Gi"),
            queues=(Queue(name="b", queues=TIERS, limits=(LIMIT,)), Queue(name="c", queues=TIERS[1:])),
        ),
    )
)


def test_the_text_has_a_line_a_queue_with_amounts_in_columns():
    assert as_text(TREE, "Queues", CAPACITY).splitlines() == [
        "Queues",
        "",
        "queue                guaranteed          maximum",
        "                cpu      memory     cpu   memory  jobs",
        "root            100         1Ti",
        "└─ a              -           -      50    512Gi     -",
        "   ├─ b           -           -       -        -     -  user *, group night: 2 jobs, 4 cpu",
        "   │  ├─ tier1   20       256Gi       -        -     3  never preempted; waits 5 s; fifo",
        "   │  └─ tier3    -           -  10500m        -     -  can be preempted; guaranteed nothing; fifo",
        "   └─ c           -           -       -        -     -",
        "      └─ tier3    -           -  10500m        -     -  can be preempted; guaranteed nothing; fifo",
    ]


def rows(svg):
    """What is drawn of each queue, by its path."""
    groups = ElementTree.fromstring(svg).findall(f"{SVG}g")
    return {group.find(f"{SVG}title").text.split(":")[0]: group for group in groups}


def bars(row, kind):
    return [float(bar.get("width")) for bar in row.findall(f"{SVG}rect") if bar.get("class") == kind]


def test_the_drawing_has_every_queue_with_bars_in_proportion_to_the_capacity():
    drawn = rows(as_svg(TREE, "Queues", CAPACITY))

    assert drawn.keys() == {path for path, _ in TREE.walk()}
    [cpu, memory] = bars(drawn["root.a.b.tier1"], "tier1")
    [most_cpu, most_memory] = bars(drawn["root.a"], "room")
    assert (cpu / most_cpu, memory / most_memory) == (20 / 50, 256 / 512)
    # What a queue above may have at the most counts below it.
    assert bars(drawn["root.a.b.tier1"], "room") == [most_cpu, most_memory]
    assert bars(drawn["root.a.b.tier3"], "tier3") == []


def test_the_drawing_needs_nothing_else_and_reads_on_dark_ground_too():
    svg = as_svg(TREE, "Queues of <b> & co", CAPACITY)

    assert "Queues of <b> & co" in ElementTree.fromstring(svg).findtext(f"{SVG}text")
    assert "prefers-color-scheme: dark" in svg
    assert "href" not in svg and "url(" not in svg


def test_a_tree_without_a_capacity_is_drawn_by_its_largest_queue():
    drawn = rows(as_svg(TREE, "Queues"))

    [cpu, _] = bars(drawn["root.a"], "room")
    assert all(width <= cpu for row in drawn.values() for width in bars(row, "room"))


def test_no_tree_is_too_small_to_be_drawn():
    assert as_text(QueueTree(), "Queues").splitlines()[-1] == "root"
    assert rows(as_svg(QueueTree(), "Queues")) == {}
