"""Reports: what there is to know about a table, as plain values, as text and as a page.

- `analyze`: how imbalanced and how hard a table is, as an `Analysis`;
- `write_page`: a self-contained HTML page of an analysis, with a comparison if there is one.

Pages need ``pip install "icost-learn[report]"``.
"""

from icost.report._analysis import Analysis, analyze
from icost.report._page import write_page

__all__ = ["Analysis", "analyze", "write_page"]
