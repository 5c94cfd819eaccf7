"""Conversion of the table ``grid`` to matrices of questions by configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.evaluation.experiments.trials import TO_BEAT, Trial
from tasks.evaluation.gold.outcomes import DRAFTED
from tasks.schemas.evaluation import GRID_MEASURES
from tasks.tuning.grid_analysis import Gridded

FIGURES = [field.name for field in GRID_MEASURES if pa.types.is_float64(field.type)]


def grid_matrices(rows: pa.Table, trials: Sequence[Trial]) -> Gridded:
    """Convert the rows of the table ``grid`` to matrices; it has the trials in their order, each with all questions."""

    def matrix(column: pa.ChunkedArray) -> NDArray[np.float64]:
        values = column.to_numpy(zero_copy_only=False).astype(np.float64)
        return np.asarray(values.reshape(len(trials), -1).T)

    figures = {name: matrix(rows[name]) for name in FIGURES}
    figures["draft_rate"] = matrix(pc.is_in(rows["status"], pa.array(DRAFTED)))
    answerable = pc.fill_null(rows["answerable"], True)[: rows.num_rows // len(trials)]
    levels = [trial.levels for trial in trials if trial.levels is not None]
    return Gridded(
        figures={name: values[:, TO_BEAT + 1 :] for name, values in figures.items()},
        to_beat={name: values[:, TO_BEAT] for name, values in figures.items()},
        levels={factor: [one[factor] for one in levels] for factor in levels[0]},
        answerable=answerable.to_numpy(zero_copy_only=False).astype(np.bool_),
        clusters=rows["cluster"][: len(answerable)].to_pylist(),
    )
