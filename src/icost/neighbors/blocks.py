"""Queries in blocks: in threads, and halved while their ties are too many."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from typing import Any

from threadpoolctl import ThreadpoolController


def in_blocks(
    answer: Callable[[slice], Any], n_queries: int, block_size: int, n_threads: int
) -> list[Any]:
    """Return the answers for all queries, block after block.

    ``answer`` gets a block and returns None if that has too many ties; it is asked for both halves
    then. One query alone must be answered.
    """
    # As many blocks for each thread, all of one size: no thread waits for another's last block.
    n_rounds = max(1, -(-n_queries // (block_size * n_threads)))
    block_size = max(1, -(-n_queries // (n_rounds * n_threads)))
    starts = range(0, n_queries, block_size)
    blocks = [slice(start, min(n_queries, start + block_size)) for start in starts]
    if n_threads == 1 or len(blocks) == 1:
        return [one for block in blocks for one in _halved(answer, block)]
    # Not joblib's threads: they are asked every 10 ms whether they are done, often too late here.
    with ThreadPoolExecutor(n_threads) as threads:
        return list(chain.from_iterable(threads.map(lambda block: _halved(answer, block), blocks)))


def _halved(answer: Callable[[slice], Any], block: slice) -> list[Any]:
    """Answer one block, in halves while its ties are too many."""
    # A query's answer depends on no other query of its block, so a block may be divided at will.
    # Blocks are large for speed, and how many ties there are is only known when they are found.
    found = answer(block)
    if found is not None:
        return [found]
    middle = (block.start + block.stop) // 2
    halves = slice(block.start, middle), slice(middle, block.stop)
    return [one for half in halves for one in _halved(answer, half)]


@cache
def libraries() -> ThreadpoolController:
    """Return the controller of the libraries' threads; finding them takes milliseconds."""
    return ThreadpoolController()


def one_thread_a_product() -> Any:
    """Keep matrix products to one thread each, as a context."""
    # Threads work on different blocks of queries; more threads inside of products would only fight
    # them for the cores.
    return libraries().limit(limits=1, user_api="blas")
