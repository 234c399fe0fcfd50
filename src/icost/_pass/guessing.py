"""Is a blend better than guessing? A test on answers that nothing has seen."""

from __future__ import annotations

import numpy as np

from icost._core.arrays import Floats, Ints
from icost._core.doubts import ONE_MODEL_LEVEL, guessing_p_value, rank_sum, right_decisions
from icost._pass.decision import HeldOutAnswers


def is_better_than_guessing(answers: HeldOutAnswers) -> bool:
    """Whether held-out answers rank minority rows above others, or decide better than chance."""
    ranking = answers.proba[:, 1] if answers.rows.minority is not None else None
    return p_value(answers, answers.decided, ranking) <= ONE_MODEL_LEVEL


def can_be_shown(answers: HeldOutAnswers) -> bool:
    """Whether perfect answers would be called better than guessing; few groups are too few."""
    ranking = answers.targets.astype(float) if answers.rows.minority is not None else None
    return p_value(answers, answers.targets, ranking) <= ONE_MODEL_LEVEL


def p_value(answers: HeldOutAnswers, decided: Ints, ranking: Floats | None) -> float:
    """Return the one-sided p-value of guessing, part by part: scores of parts share no scale."""
    groups = answers.rows.groups
    tests = []
    for fold in range(int(answers.parts.max()) + 1):
        rows = np.flatnonzero(answers.parts == fold)
        of_rows = None if groups is None else groups[rows]
        if ranking is None:
            tests.append(right_decisions(answers.targets[rows], decided[rows], of_rows))
        else:
            tests.append(rank_sum(answers.targets[rows] == 1, ranking[rows], of_rows))
    return guessing_p_value(sum(test[0] for test in tests), sum(test[1] for test in tests))
