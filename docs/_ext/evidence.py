"""Directives for the evidence under ``results/``; what they show is made in `evidence_text`.

- ``evidence-verdicts``: our verdicts on the paper's statements.
- ``evidence-rule``: when a difference is called significant.
- ``evidence-scalers``: iCost's gains under both scalers, beside controls.
- ``evidence-paper``: how close our tables are to the paper's, and both protocols side by side.
- ``evidence-study``: pictures and folded tables of the study that is named.
- ``evidence-picture``: gains or scores in a table of a study, drawn when the page is built.
- ``evidence-controls``: Neighbor-iCost against its alternatives, from the rows of the honest study;
  ``:metric:`` and ``:against:`` choose what to compare.
"""

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from evidence_picture import draw_table
from evidence_text import (
    CONTROLS,
    RESULTS,
    RULE,
    closeness_text,
    controls_text,
    honest_means,
    protocols_text,
    scalers_text,
    study_text,
    table_files,
    verdicts_text,
)
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class EvidenceVerdicts(SphinxDirective):
    """Our verdicts on the paper's statements."""

    def run(self) -> list[nodes.Node]:
        """Compute them from the rows."""
        return self.parse_text_to_nodes(verdicts_text())


class EvidenceText(SphinxDirective):
    """What a function makes of the rows and tables on record."""

    makers = {  # noqa: RUF012
        "evidence-rule": lambda: RULE,
        "evidence-scalers": scalers_text,
        "evidence-paper": closeness_text,
        "evidence-protocols": protocols_text,
    }

    def run(self) -> list[nodes.Node]:
        """Parse the text as Markdown."""
        # Rows change while a study runs, without any source file changing.
        self.env.note_reread()
        return self.parse_text_to_nodes(self.makers[self.name]())


class EvidenceStudy(SphinxDirective):
    """Pictures and tables of one study."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse them as Markdown."""
        for path in table_files(RESULTS / self.arguments[0]):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(study_text(self.arguments[0]))


class EvidencePicture(SphinxDirective):
    """A picture of one table: a row of dots for each of its first rows."""

    required_arguments = 2
    option_spec = {"rows": directives.nonnegative_int, "alt": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Draw it into the folder of generated files."""
        study, table = self.arguments
        source = RESULTS / study / "tables" / f"{table}.csv"
        if not source.is_file():
            return []
        self.env.note_dependency(str(source))
        name = f"{study}-{table}.svg"
        folder = Path(self.env.srcdir) / "generated"
        folder.mkdir(exist_ok=True)
        draw_table(source, folder / name, self.options.get("rows", 8))
        alt = self.options.get("alt", table)
        return self.parse_text_to_nodes(f"![{alt}](/generated/{name})")


class EvidenceControls(SphinxDirective):
    """Neighbor-iCost against its alternatives."""

    option_spec = {"metric": directives.unchanged, "against": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Compute the table from the rows."""
        metric = self.options.get("metric", "mcc")
        against = self.options.get("against", " ".join(CONTROLS)).split()
        # Rows change while a study runs, without any source file changing.
        self.env.note_reread()
        repeated = honest_means(metric, study="controls")
        text = controls_text(honest_means(metric), metric, against, repeated)
        return self.parse_text_to_nodes(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("evidence-verdicts", EvidenceVerdicts)
    for name in EvidenceText.makers:
        app.add_directive(name, EvidenceText)
    app.add_directive("evidence-study", EvidenceStudy)
    app.add_directive("evidence-picture", EvidencePicture)
    app.add_directive("evidence-controls", EvidenceControls)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
