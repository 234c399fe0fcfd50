"""Compare `ClusterComplexity` with the third method of the authors' package on 65 binary sets.

    pip install --no-deps --target PEERS/icost-0.3.0 icost==0.3.0
    python benchmarks/cluster_agreement.py --peer PEERS/icost-0.3.0

k-means ends in the optimum that its starts lead to, and these depend on the seed and on the order
of the rows. So the peer judges each table twice: as it is, and with our seed and its rows in the
order that `ClusterComplexity` puts them in. The second tells whether the definitions agree, the
first how much starts matter. Columns are standardised, missing cells are medians.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from agreement import numeric_sets
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from icost import ClusterComplexity
from icost._neighbors.points import row_keys

SEED = 0
CUTS = (0.25, 0.5, 0.75)
PEER_CODE = """
import sys
import numpy as np
from sklearn.linear_model import LogisticRegression
from icost import iCost
data = np.load(sys.argv[1])
model = iCost(LogisticRegression(), method="cluster", random_state=int(sys.argv[3]))
found = {}
for name in sorted({key.rpartition("/")[0] for key in data}):
    model.fit(data[name + "/X"], data[name + "/y"])
    rows = sorted(model.cluster_ratio_by_index_)
    found[name + "/share"] = [model.cluster_ratio_by_index_[row] for row in rows]
    found[name + "/category"] = [model.complexity_category_by_index_[row] for row in rows]
np.savez(sys.argv[2], **found)
"""


def judged_by_peer(tables, peer, seed):
    """Return shares and categories of the minority rows, by the name of a table."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = {f"{name}/{key}": v for name, *t in tables for key, v in zip("Xy", t, strict=True)}
        np.savez(f"{folder}/data.npz", **arrays)
        command = [sys.executable, "-W", "ignore", "-c", PEER_CODE]
        command += [f"{folder}/data.npz", f"{folder}/found.npz", str(seed)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(peer)})
        with np.load(f"{folder}/found.npz") as found:
            return {
                name: (found[f"{name}/share"], found[f"{name}/category"]) for name, *_ in tables
            }


def tell(what, tables, peer, seed):
    """Print how many sets and rows the two judge alike."""
    theirs = judged_by_peer(tables, peer, seed)
    measure = ClusterComplexity(cuts=CUTS)
    n_alike = n_rows = n_other = 0
    largest = 0.0
    for name, X, y in tables:
        record = measure.estimate(X, y == 1, random_state=SEED)
        share, category = theirs[name]
        off = np.abs(record.other_class_share - share).max()
        largest = max(largest, off)
        n_alike += off < 1e-6
        n_rows += len(share)
        n_other += int((record.category != category).sum())
    print(
        f"{what}: equal shares on {n_alike} of {len(tables)} sets, the largest difference is "
        f"{largest:.2g}; {n_other} of {n_rows} minority rows have another category"
    )


def main():
    """Print both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=Path, required=True, help="folder with the authors' package")
    peer = parser.parse_args().peer
    tables = [(name, StandardScaler().fit_transform(X), y) for name, X, y in numeric_sets()]
    tell("as they are", tables, peer, SEED)
    # What ClusterComplexity does before k-means starts.
    ordered = []
    for name, X, y in tables:
        order = np.argsort(row_keys(X), kind="stable")
        ordered.append((name, X[order], y[order]))
    tell("same order and seed", ordered, peer, check_random_state(SEED).randint(2**31))


if __name__ == "__main__":
    main()
