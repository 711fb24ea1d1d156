"""Pieces of SVG text. Colours come from classes, so that one figure serves light, dark and print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape as _escape
from xml.sax.saxutils import quoteattr

from saferag.text import display_width, visible

# For figures that stand alone: the same classes that the report's style sheet has, in colours for paper.
STYLE = (
    "text{font:11px system-ui,'Helvetica Neue','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif;"
    "fill:#1d2530}.muted{fill:#5a6472}.strong{font-weight:600}.grid{stroke:#dfe3e8;fill:none}"
    ".axis{stroke:#8b95a1;fill:none}.harm{fill:#b3432d}.calm{fill:#27698c}.track{fill:#eceff2}"
    ".harm-line{stroke:#b3432d;fill:none;stroke-width:2}.calm-line{stroke:#27698c;fill:none;stroke-width:2}"
    ".harm-area{fill:#b3432d;fill-opacity:.16}.calm-area{fill:#27698c;fill-opacity:.10}"
    ".s0{stroke:#b3432d;fill:#b3432d}.s1{stroke:#27698c;fill:#27698c}.s2{stroke:#6b7f1e;fill:#6b7f1e}"
    ".s3{stroke:#8a5a9e;fill:#8a5a9e}.s4{stroke:#b07a12;fill:#b07a12}.s5{stroke:#4a5562;fill:#4a5562}"
    ".bar{stroke:none}.b1{fill-opacity:.55}.on{fill:#fff;font-weight:600}"
    ".line{fill:none;stroke-width:2}.band{stroke:none;fill-opacity:.13}"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing.

    Attributes:
        width, height: Size of its view box.
        title: What it shows, for whoever cannot see it.
        body: SVG elements.
    """

    width: float
    height: float
    title: str
    body: str

    def inline(self) -> str:
        """For an HTML page with our classes."""
        return f'<svg viewBox="0 0 {n(self.width)} {n(self.height)}" role="img">{self._inner()}</svg>'

    def alone(self) -> str:
        """As a file of its own."""
        size = f'width="{n(self.width)}" height="{n(self.height)}"'
        box = f'viewBox="0 0 {n(self.width)} {n(self.height)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img"><style>{STYLE}</style>'
            f'<rect width="100%" height="100%" fill="#fff"/>{self._inner()}</svg>\n'
        )

    def _inner(self) -> str:
        return f"<title>{escape(self.title)}</title>{self.body}"


def n(value: float) -> str:
    """A coordinate, short."""
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def escape(text: str) -> str:
    """A text as SVG content, with its control characters made visible."""
    return _escape(visible(text))


def tag(name: str, content: str = "", /, **attributes: str | float) -> str:
    """An element; ``class_`` is ``class`` and ``text_anchor`` is ``text-anchor``."""
    parts = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(value if isinstance(value, str) else n(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{parts}>{content}</{name}>" if content else f"<{name}{parts}/>"


def text(x: float, y: float, content: str, class_: str = "", anchor: str = "start", *, room: float = 0) -> str:
    """A line of text; with ``room`` it is cut to so many units of 11-pixel type."""
    shown = shorten(content, room) if room else visible(content)
    return tag("text", _escape(shown), x=x, y=y, text_anchor=anchor, class_=class_ or "plain")


def shorten(content: str, room: float) -> str:
    """Cut a text to what fits, with an ellipsis."""
    content = visible(content)
    columns = int(room / 6.1)
    if display_width(content) <= columns:
        return content
    while content and display_width(content) > columns - 1:
        content = content[:-1]
    return content + "…"


def line(points: Sequence[tuple[float, float]], class_: str, **attributes: str | float) -> str:
    """A line through points."""
    return tag("polyline", points=" ".join(f"{n(x)},{n(y)}" for x, y in points), class_=class_, **attributes)


def area(points: Sequence[tuple[float, float]], class_: str) -> str:
    """A filled shape."""
    return tag("polygon", points=" ".join(f"{n(x)},{n(y)}" for x, y in points), class_=class_)


def marker(shape: int, x: float, y: float, class_: str) -> str:
    """A point whose shape tells series apart without colour: circle, square, triangle, diamond, then again."""
    if shape % 4 == 0:
        return tag("circle", cx=x, cy=y, r=3.4, class_=class_)
    if shape % 4 == 1:
        return tag("rect", x=x - 3, y=y - 3, width=6, height=6, class_=class_)
    if shape % 4 == 2:
        return area([(x, y - 4), (x + 4, y + 3.2), (x - 4, y + 3.2)], class_)
    return area([(x, y - 4.4), (x + 4.4, y), (x, y + 4.4), (x - 4.4, y)], class_)
