"""The board: all candidates with their scores, the best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icost._core.views import score_text
from icost._pass.cross_fit import OutOfFold
from icost._pass.decision import Decider, cross_fit_answers
from icost._pass.expected import point_scores


@dataclass(frozen=True)
class BoardRow:
    """A candidate alone: calibrated, with a decision from other rows, and its weight in the blend.

    Scores that need two classes are None for more.
    """

    name: str
    words: str
    mcc: float
    pr_auc: float | None
    log_loss: float | None
    weight: float
    seconds: float

    def texts(self) -> list[str]:
        """Return the numbers as they are printed."""
        pairs = (("mcc", self.mcc), ("pr_auc", self.pr_auc), ("log_loss", self.log_loss))
        scores = ["–" if value is None else score_text(name, value) for name, value in pairs]
        return [*scores, f"{self.weight:.2f}" if self.weight else "–", f"{self.seconds:.2g}"]


def make_board(
    out_of_fold: OutOfFold, decider: Decider, weights: Mapping[str, float]
) -> list[BoardRow]:
    """Return a row for each candidate that was fitted to all folds, the best first."""
    rows = []
    for one in out_of_fold.candidates:
        scores = point_scores(cross_fit_answers(out_of_fold, decider, [one.name]))
        rows.append(
            BoardRow(
                one.name,
                one.words,
                scores["mcc"],
                scores.get("pr_auc"),
                scores.get("log_loss"),
                weights.get(one.name, 0.0),
                out_of_fold.seconds.get(one.name, 0.0),
            )
        )
    return sorted(rows, key=lambda row: -row.mcc)
