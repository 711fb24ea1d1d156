"""The report in the plain formats: Markdown for a pull request, LaTeX for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from saferag.report import headline, views
from saferag.report.again import again
from saferag.report.model import Summary
from saferag.report.texts import Texts
from saferag.report.untrusted import latex, markdown, one_line
from saferag.report.views import TableView

LIMIT = 60_000  # characters; a comment on GitHub may have 65,536
_ROWS = 40
_SENTENCE = 5_000  # characters; longer only where names are thousands of characters long
_COMMAND = 4_000  # characters of a command that anybody would type


def markdown_report(summary: Summary, t: Texts) -> str:
    """The answer, the main tables and how to run it again, short enough for a comment.

    Tables whose turn comes after the limit are left out, and a line says so.
    """
    said = [f"**{_text(s)[:_SENTENCE]}**" if i == 0 else _text(s) for i, s in enumerate(headline.answer(summary, t))]
    parts = [f"## {_text(t('title'))}", *said, *(_text(s)[:_SENTENCE] for s in headline.certainty(summary, t))]
    tables = [views.matrix_table(summary, t), views.funnel_table(summary, t), views.utility_table(summary, t)]
    if summary.rankings:
        tables.append(views.ranking_table(summary.rankings, t))
    if summary.unscored:
        tables.append(views.unscored_table(summary, t))
    if summary.curves:
        tables.append(views.curve_table(summary.curves, t))
    command = again(summary.values).command
    command = _code(command) if len(command) < _COMMAND else _text(t("plain.left_out"))
    settings = summary.store.settings
    end = [
        f"{_text(t('configuration.again'))}{t('colon')}",
        command,
        _text(f"saferag {settings['saferag']}, {t('configuration.fingerprint')} {str(settings['fingerprint'])[:16]}"),
    ]
    room = LIMIT - sum(len(p) + 2 for p in (*parts, *end))
    for table in tables:
        text = f"### {_text(table.caption)}\n\n{markdown_table(table)}"
        if len(text) + 2 > room:
            text = f"### {_text(table.caption)}\n\n{_text(t('plain.left_out'))}"
        parts.append(text)
        room -= len(text) + 2
    return "\n\n".join([*parts, *end]) + "\n"


def markdown_table(table: TableView) -> str:
    """A table of at most so many rows in Markdown."""
    align = ["--:" if i in table.numeric else ":--" for i in range(len(table.heads))]
    lines = [_row(table.heads), "| " + " | ".join(align) + " |", *(_row(row) for row in table.rows[:_ROWS])]
    if len(table.rows) > _ROWS:
        lines.append("\n" + f"({_ROWS}/{len(table.rows)})")
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_text(c)[:400] for c in cells) + " |"


def _text(text: str) -> str:
    return markdown(text)


def _code(text: str) -> str:
    """A fenced block that no content can end."""
    return "````sh\n" + one_line(text).replace("`", "'") + "\n````"


def latex_report(summary: Summary, t: Texts) -> str:
    """The main tables in LaTeX, for the packages booktabs and textcomp and, in Chinese, ctex."""
    tables = [
        ("matrix", views.matrix_table(summary, t)),
        ("funnel", views.funnel_table(summary, t)),
        ("utility", views.utility_table(summary, t)),
    ]
    if summary.rankings:
        tables.append(("ranking", views.ranking_table(summary.rankings, t)))
    if summary.curves:
        tables.append(("curves", views.curve_table(summary.curves, t)))
    head = "% \\usepackage{booktabs,textcomp}" + ("  \\usepackage{ctex}" if t.lang == "zh" else "")
    return head + "\n\n" + "\n\n".join(latex_table(table, name) for name, table in tables) + "\n"


def latex_table(table: TableView, label: str) -> str:
    """A table in the style of booktabs."""
    columns = "".join("r" if i in table.numeric else "l" for i in range(len(table.heads)))
    rows = [" & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\small",
            rf"\caption{{{latex(table.caption)}}}",
            rf"\label{{tab:saferag-{label}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(_latex_cell, table.heads)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


_SYMBOLS = {
    "\N{MINUS SIGN}": "$-$", "●": r"$\bullet$", "○": r"$\circ$", "→": r"$\to$", "›": r"{\guilsinglright}",
    "Δ": r"$\Delta$", "–": "--", "\N{NO-BREAK SPACE}": "~", "÷": r"$\div$", "×": r"$\times$",
}  # fmt: skip


def _latex_cell(text: str) -> str:
    return "".join(_SYMBOLS.get(c, c) for c in latex(text))
