"""Compare our weights with those of the authors' package on the paper's 65 binary sets.

    pip install --no-deps --target PEERS/icost-0.2.0 icost==0.2.0
    python benchmarks/agreement.py --peer PEERS/icost-0.2.0

The authors' package has the same import name as ours, so it runs in a process of its own. Weights
may differ where neighbours are tied for the last place: there the plain definition has no answer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.neighbors import NearestNeighbors

from icost import PAPER, instance_weights
from icost.datasets import list_datasets
from icost_reproduction import load_published

PEER_CODE = """
import json, sys
import numpy as np
from sklearn.linear_model import LogisticRegression
from icost import iCost
data = np.load(sys.argv[1])
costs = json.loads(sys.argv[2])
for method in ("neighbor", "tree"):
    for name in sorted({key.rpartition("/")[0] for key in data}):
        model = iCost(LogisticRegression(), method=method, random_state=0, **costs)
        np.save(f"{sys.argv[3]}/{method}-{name.replace('/', '_')}.npy",
                model.compute_sample_weight(data[name + "/X"], data[name + "/y"]))
"""


def numeric_sets():
    for name in list_datasets(collection="binary"):
        bunch = load_published(name)
        X = SimpleImputer(strategy="median").fit_transform(bunch.data.to_numpy(dtype=float))
        yield name, X, (bunch.target == bunch.minority_label).to_numpy(dtype=int)


def tied_rows(X, n_neighbors=5):
    """Rows whose last neighbour is as far away as the next one."""
    distance, _ = NearestNeighbors(n_neighbors=n_neighbors + 2).fit(X).kneighbors(X)
    last, following = distance[:, n_neighbors], distance[:, n_neighbors + 1]
    return np.isclose(last, following, rtol=1e-9, atol=1e-9)


def peer_weights(sets, peer):
    with tempfile.TemporaryDirectory() as folder:
        arrays = {
            f"{name}/{key}": value for name, X, y in sets for key, value in (("X", X), ("y", y))
        }
        np.savez(Path(folder, "data.npz"), **arrays)
        command = [sys.executable, "-W", "ignore", "-c", PEER_CODE]
        command += [f"{folder}/data.npz", json.dumps(dict(PAPER)), folder]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(peer)})
        return {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=Path, required=True, help="folder with the authors' package")
    sets = list(numeric_sets())
    theirs = peer_weights(sets, parser.parse_args().peer)
    for method in ("neighbor", "tree"):
        minority = differing = tied = untied = 0
        for name, X, y in sets:
            ours = instance_weights(X, y, method, preprocessor=None, random_state=0)
            differs = ~np.isclose(ours, theirs[f"{method}-{name}"])
            minority += y.sum()
            differing += differs.sum()
            tied += (tied_rows(X) & (y == 1)).sum()
            untied += (differs & ~tied_rows(X)).sum()
        print(
            f"{method}: {len(sets)} sets, {minority} minority samples, {tied} of them with tied "
            f"neighbours; {differing} weights differ, {untied} of these without a tie"
        )


if __name__ == "__main__":
    main()
