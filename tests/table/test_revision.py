"""A change to what the engine decides is a new revision."""

import hashlib

import msgspec

from punto.library import book, book_ids
from punto.table.revision import REVISION

CITED = {
    2: "e887189b1f39c15f101b05356ad84cad26515079611e96dc7382e31c27b484c5",
    3: "e887189b1f39c15f101b05356ad84cad26515079611e96dc7382e31c27b484c5",
    4: "e887189b1f39c15f101b05356ad84cad26515079611e96dc7382e31c27b484c5",
    5: "03ffd407fb7775ce312e260fff8f7db086dd2403923c6329978d0c5b5a8b61ac",
}
"""Revision to the hash of the clauses that the topics of all books cite."""


def test_other_citations_are_another_revision() -> None:
    """Events carry the clauses, so the audit would judge otherwise. If this fails, raise REVISION and add a line."""
    topics = {name: {str(topic): clauses for topic, clauses in book(name).topics.items()} for name in book_ids()}
    encoded = msgspec.json.encode(topics, order="sorted")
    assert hashlib.sha256(encoded).hexdigest() == CITED[REVISION]
