"""Directives for the evidence under ``results/``; what they show is made in `evidence_text`.

- ``evidence-tables``: all tables that ``icost reproduce`` has written, study by study.
- ``evidence-controls``: Neighbor-iCost against its alternatives, from the rows of the honest study;
  ``:metric:`` and ``:against:`` choose what to compare.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from evidence_text import CONTROLS, RESULTS, controls_text, honest_means, table_files, tables_text
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class EvidenceTables(SphinxDirective):
    """All tables under ``results/``."""

    def run(self) -> list[nodes.Node]:
        """Parse them as Markdown, sections included."""
        for path in table_files(RESULTS):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(tables_text(), allow_section_headings=True)


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
    app.add_directive("evidence-tables", EvidenceTables)
    app.add_directive("evidence-controls", EvidenceControls)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
