"""Reports: what there is to know about a table, as plain values, as text and as a page.

- `analyze`: how imbalanced and how hard a table is, as an `Analysis`;
- `write_page`: a self-contained HTML page of an analysis, with a comparison if there is one.

It needs ``pip install "icost-learn[report]"``.
"""

from icost._core.validation import import_extra

import_extra("pandas", "report", "icost.report")

from icost.report._analysis import Analysis, analyze  # noqa: E402
from icost.report._page import write_page  # noqa: E402

__all__ = ["Analysis", "analyze", "write_page"]
