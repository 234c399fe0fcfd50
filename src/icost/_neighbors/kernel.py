"""Brute-force Euclidean search by a kernel in C, where one was compiled.

Matrix products write every product to the memory, to be read again for a comparison; the kernel
compares them in registers. How, and why no candidate is missed, is said in ``kernel.c``. It has
several variants, which differ in speed and in what they need, never in the answer:

- ``vnni``: numbers of eight bits (AVX-512 with VNNI); on data too coarse for these, ``avx512``;
- ``avx512``, ``avx2``: single precision;
- ``portable``: single precision, without instructions that some processors lack.

The fastest that the processor has is taken. The environment variable ``ICOST_KERNEL`` asks for
another one, or for ``off``.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache, partial
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Floats
from icost._core.validation import check_choice
from icost._neighbors.points import BLOCK_NUMBERS, MinkowskiSpace
from icost._neighbors.search import TIE_MARGIN, Pairs, centre_and_scale, is_clear, rounding_slack

#: The variants, as kernel.c numbers them: the later, the faster.
VARIANTS = ("portable", "avx2", "avx512", "vnni")

#: What kernel.c calls INTERFACE, and what its functions return.
_INTERFACE = 2
_DONE, _TOO_MANY, _BLIND, _NO_MEMORY = range(4)

#: Points in a panel, queries in a group, features in a word of bytes.
_PANEL, _GROUP, _BYTES = 48, 8, 4

#: Beyond this many features, sums of products of bytes might overflow.
_MOST_FEATURES = 32_768

#: Packed queries of a block should stay in the cache while the panels pass by.
_BLOCK_WORDS = 65_536
_LARGEST_BLOCK = 1024

#: The margin of ties, and room for the kernel's own rounding: it adds up squares in another order.
_MARGIN = TIE_MARGIN + 1e-10

_HIT = np.dtype([("distance", np.float64), ("query", np.int64), ("position", np.int64)])


class _Index(ctypes.Structure):
    """What kernel.c calls an Index."""

    _fields_ = (
        ("n_points", ctypes.c_int64),
        ("n_features", ctypes.c_int64),
        ("rows", ctypes.c_void_p),
        ("is_single", ctypes.c_int64),
        ("order", ctypes.c_void_p),
        ("centre", ctypes.c_void_p),
        ("is_bytes", ctypes.c_int64),
        ("unit", ctypes.c_double),
        ("error", ctypes.c_double),
        ("panels", ctypes.c_void_p),
    )


class _Answer(ctypes.Structure):
    """What kernel.c calls an Answer."""

    _fields_ = (
        ("list", ctypes.c_void_p),
        ("n_hits", ctypes.c_int64),
        ("capacity", ctypes.c_int64),
        ("n_measured", ctypes.c_int64),
        ("n_near", ctypes.c_int64),
    )


def variant() -> tuple[str, str | None]:
    """Return the variant that is used, or "off" and why."""
    wanted = os.environ.get("ICOST_KERNEL")
    if wanted == "off":
        return "off", "ICOST_KERNEL=off"
    if wanted:
        return _usable("ICOST_KERNEL", wanted, ("off", *VARIANTS)), None
    present, reason = _present(_library_path())
    return (present[-1], None) if present else ("off", reason)


def present_variants() -> tuple[str, ...]:
    """Return the variants that can be used here, the fastest last; none without a library."""
    return _present(_library_path())[0]


def _usable(what: str, name: str, choices: tuple[str, ...] = VARIANTS) -> str:
    """Return the name of a variant, or say in one sentence why it cannot be used."""
    check_choice(what, name, choices)
    present, reason = _present(_library_path())
    if name not in present:
        reason = f"the kernel is {reason}" if reason else f"this processor has {', '.join(present)}"
        raise ValueError(f"{what}={name!r} cannot be used: {reason}.")
    return name


@cache
def _present(path: Path) -> tuple[tuple[str, ...], str | None]:
    """Return the variants that a library has on this processor, and why if it has none."""
    if not path.exists():
        return (), "not compiled"
    try:
        library = _load(path)
    except (OSError, AttributeError) as error:
        return (), f"not loaded: {error}"
    has = (bool(library.icost_kernel_has(number)) for number in range(len(VARIANTS)))
    return tuple(name for name, it_has in zip(VARIANTS, has, strict=True) if it_has), None


def _library_path() -> Path:
    """Return where the compiled kernel is, or would be."""
    return _path(os.environ.get("ICOST_KERNEL_LIBRARY"))


@cache
def _path(named: str | None) -> Path:
    ending = {"win32": "dll", "cygwin": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    return Path(named or Path(__file__).with_name(f"_kernel.{ending}"))


@cache
def _load(path: Path) -> ctypes.CDLL:
    """Load the library and declare its functions; while they run, other threads may, too."""
    library = ctypes.CDLL(str(path.resolve()))
    if library.icost_kernel_interface() != _INTERFACE:
        raise OSError("it was compiled from another version of kernel.c")
    whole, index, answer = ctypes.c_int64, ctypes.POINTER(_Index), ctypes.POINTER(_Answer)
    library.icost_kernel_has.argtypes = [whole]
    library.icost_kernel_shuffle.argtypes = [ctypes.c_void_p, whole]
    library.icost_kernel_shuffle.restype = None
    library.icost_kernel_pack.argtypes = [index]
    library.icost_kernel_search.argtypes = [
        *(index, whole, ctypes.c_void_p, whole),
        *(whole, ctypes.c_double, whole, answer),
    ]
    library.icost_kernel_free.argtypes = [answer]
    library.icost_kernel_free.restype = None
    return library


class _Panels:
    """The points, shuffled and packed in panels of floats or bytes, for one variant."""

    def __init__(self, space: MinkowskiSpace, order: NDArray[np.int64], name: str):
        self._library = _load(_library_path())
        self._variant = VARIANTS.index(name)
        n_points, n_features = space.points.shape
        is_bytes = name == "vnni"
        n_steps = -(-n_features // _BYTES) if is_bytes else n_features
        self.centre, unit, error = (_byte_grid if is_bytes else _float_grid)(space)
        panels = _aligned_words(-(-n_points // _PANEL) * (n_steps + 1) * _PANEL)
        # The kernel only has their addresses: kept here, they live as long as the index.
        self._arrays = space.points, order, self.centre, panels
        rows, orders, centres, words = (array.ctypes.data for array in self._arrays)
        sizes, is_single = (n_points, n_features), space.points.dtype == np.float32
        self.index = _Index(*sizes, rows, is_single, orders, centres, is_bytes, unit, error, words)
        _check_memory(self._library.icost_kernel_pack(self.index))
        in_cache = _BLOCK_WORDS // n_steps // _GROUP * _GROUP
        self.block_size = min(_LARGEST_BLOCK, max(_GROUP, in_cache))

    def search(self, queries: Floats, n_nearest: int) -> tuple[int, NDArray]:
        """Return what the kernel says of a block of queries, and the hits if it is done."""
        answer = _Answer()
        try:
            status = self._library.icost_kernel_search(
                *(self.index, self._variant, queries.ctypes.data, len(queries)),
                *(n_nearest, _MARGIN, BLOCK_NUMBERS, answer),
            )
            _check_memory(status)
            n_hits = answer.n_hits if status == _DONE else 0
            return status, _copied_hits(answer.list, n_hits)
        finally:
            self._library.icost_kernel_free(answer)


def _float_grid(space: MinkowskiSpace) -> tuple[Floats, float, float]:
    """Return the centre, the scale and the slack with which points are packed as floats."""
    return *centre_and_scale(space), rounding_slack(space.points.shape[1], np.float32)


def _byte_grid(space: MinkowskiSpace) -> tuple[Floats, float, float]:
    """Return the centre and the step with which points are packed as bytes, and no error yet."""
    low, high = (end.astype(np.float64) for end in space.ends)
    # One step for all features, since the distance is to be a sum of squares of whole numbers; and
    # none that has no inverse.
    return (low + high) / 2, max(float((high - low).max() / 254), 1e-250), 0.0


def _shuffled(n_points: int) -> NDArray[np.int64]:
    """Return the numbers of the points in an order as good as random, and always the same."""
    order = np.empty(n_points, dtype=np.int64)
    _load(_library_path()).icost_kernel_shuffle(order.ctypes.data, n_points)
    return order


def _aligned_words(n_words: int) -> NDArray[np.uint32]:
    """Return zeros that start with a line of the cache, so that no register is read from two."""
    raw = np.zeros(n_words + 16, dtype=np.uint32)
    start = -raw.ctypes.data % 64 // 4
    return raw[start : start + n_words]


def _copied_hits(address: int, n_hits: int) -> NDArray:
    size = n_hits * _HIT.itemsize
    return np.frombuffer(ctypes.string_at(address, size) if size else b"", dtype=_HIT)


def _check_memory(status: int) -> None:
    if status == _NO_MEMORY:
        raise MemoryError("The neighbour search ran out of memory.")


def _used() -> str:
    name, reason = variant()
    if name == "off":
        raise ValueError(f"The kernel of the neighbour search cannot be used: {reason}.")
    return name


class KernelSearch:
    """Brute-force Euclidean search: the kernel screens points, direct differences decide."""

    power = 2.0
    rank = None

    def __init__(self, space: MinkowskiSpace, variant: str | None = None):
        name = _used() if variant is None else _usable("variant", variant)
        self._space = space
        kept = np.float32 if space.points.dtype == np.float32 else np.float64
        points = np.ascontiguousarray(space.points, dtype=kept)
        packed = space if points is space.points else MinkowskiSpace(points, 2.0)
        # Shuffled, the first points are a fair sample, however the rows were sorted: levels are
        # tight soon.
        self._order = _shuffled(len(points))
        self._pack = partial(_Panels, packed, self._order)
        self._single = "avx512" if name == "vnni" else name
        self._panels = self._pack(name if points.shape[1] <= _MOST_FEATURES else self._single)
        self._lock = Lock()
        self.block_size = self._panels.block_size

    def pairs(self, queries: Floats, n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        n_points, n_features = self._space.points.shape
        n_nearest = min(n_nearest, n_points)
        if len(queries) > 1 and len(queries) * n_nearest > BLOCK_NUMBERS:
            return None
        queries = np.ascontiguousarray(queries, dtype=np.float64)
        if queries.shape != (len(queries), n_features):
            raise ValueError(f"queries must have {n_features} features, got {queries.shape}.")
        hits = self._hits(queries, n_nearest)
        if hits is None:
            return None
        query = hits["query"].astype(np.intp)
        point = self._order[hits["position"]].astype(np.intp)
        distance = self._space.between(queries, query, point)
        order = np.lexsort((distance, query))
        return query[order], point[order], distance[order]

    def _hits(self, queries: Floats, n_nearest: int) -> NDArray | None:
        """Return what the kernel proposes, or None if that is too much."""
        if not len(queries):
            return np.zeros(0, dtype=_HIT)
        panels = self._panels
        status, hits = panels.search(queries, n_nearest)
        if status == _BLIND:
            # Outliers or tight clusters: bytes let too many points pass to be of use.
            status, hits = self._sharper(panels).search(queries, n_nearest)
        return None if status == _TOO_MANY else hits

    def _sharper(self, blind: _Panels) -> _Panels:
        """Return panels of floats, in the place of blind ones from now on."""
        # Threads find out at the same time; the first one packs.
        with self._lock:
            if self._panels is blind:
                self._panels = self._pack(self._single)
            return self._panels

    def is_sharp(self, queries: Floats, n_nearest: int) -> bool:
        """Tell whether the screen's slack is small against the distances to be separated."""
        pairs = self.pairs(queries, n_nearest)
        while pairs is None:
            queries = queries[::2]
            pairs = self.pairs(queries, n_nearest)
        panels = self._panels
        if panels.index.is_bytes:
            # Bytes that are too coarse would have been given up by now.
            return True
        norms = np.square(queries - panels.centre).sum(axis=1)
        return is_clear(panels.index.error, norms, pairs)
