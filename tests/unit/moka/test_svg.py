from xml.etree import ElementTree

import pytest

from moka.svg import Paint, document, shortened, text, text_width

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("content", "kind", "width"),
    [
        # As DejaVu Sans, and its bold, have them.
        ("r7gd.16xlarge, r6gd.16xlarge", "", 191.6),
        ("VPC 10.64.0.0/16, pods 100.64.0.0/16", "", 247.7),
        ("tgw-0a1b2c3d4e5f60718", "", 163.8),
        ("executor-arm64", "parent", 116.8),
        ("VPC 10.64.0.0/16, pods 100.64.0.0/16", "parent", 275.8),
        ("MMWW", "parent", 54.6),
    ],
)
def test_text_is_taken_to_be_a_little_wider_than_in_the_widest_font(content, kind, width):
    assert width <= text_width(content, kind) <= 1.1 * width


def test_small_text_is_narrower_than_other_text_and_bold_wider():
    assert text_width("node", "small") < text_width("node") < text_width("node", "parent")


def test_text_that_fits_is_not_shortened():
    assert shortened("executor", text_width("executor")) == "executor"


def test_what_does_not_fit_gives_way_to_an_ellipsis():
    short = shortened("r7g.4xlarge, r6g.4xlarge", 110, "small")

    assert short == "r7g.4xlarge, r6g…"
    assert text_width(short, "small") <= 110
    assert shortened("x", 0) == "…"


def test_a_document_is_xml_that_needs_no_other_file():
    drawing = document(
        "<b> & co",
        (300, 200),
        [text(10, 60, "a < b", "small")],
        paints=[Paint(".x", "fill", "#111111", "#eeeeee")],
        description='what "it" is',
    )

    root = ElementTree.fromstring(drawing)
    assert [element.text for element in root.iter(f"{SVG}text")] == ["<b> & co", "a < b"]
    assert root.get("aria-label") == "<b> & co" and root.findtext(f"{SVG}desc") == 'what "it" is'
    assert "href" not in drawing and "url(" not in drawing


def test_every_colour_has_another_one_on_dark_ground():
    drawing = document("x", (9, 9), [], paints=[Paint(".x", "fill", "#111111", "#eeeeee")])

    light, dark = drawing.split("@media (prefers-color-scheme: dark)")
    assert ".x { fill: #111111 }" in light and ".x { fill: #eeeeee }" in dark
    assert light.count("{ fill: #") + light.count("{ stroke: #") == dark.count("#")
