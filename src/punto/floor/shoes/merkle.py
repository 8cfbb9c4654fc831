"""A tree of hashes: one root commits to many records, and each can be shown to be under it without the others.

Leaves and nodes are hashed as in RFC 6962, so that no node can pass for a leaf. The number of leaves is a power of two.
"""

import hashlib
from collections.abc import Sequence


def leaf_hash(record: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + record).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """From the leaves to the root."""
    levels = [list(leaves)]
    while len(level := levels[-1]) > 1:
        levels.append([_node_hash(*level[at : at + 2]) for at in range(0, len(level), 2)])
    return levels


def root_of(leaves: Sequence[bytes]) -> bytes:
    return _levels(leaves)[-1][0]


def path_of(leaves: Sequence[bytes], at: int) -> tuple[bytes, ...]:
    """The hashes beside the way from a leaf to the root, from the bottom."""
    return tuple(level[(at >> height) ^ 1] for height, level in enumerate(_levels(leaves)[:-1]))


def root_from(leaf: bytes, at: int, path: Sequence[bytes]) -> bytes:
    """The root that a leaf, its place and the hashes beside its way lead to."""
    found = leaf
    for height, beside in enumerate(path):
        found = _node_hash(beside, found) if at >> height & 1 else _node_hash(found, beside)
    return found
