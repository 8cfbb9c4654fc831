"""The list of faults fits the source. ``make nightly`` tries them all."""

import ast

from tests.mutants.faults import SOURCE, faults


def test_each_fault_can_be_put_in_and_the_source_still_compiles() -> None:
    assert len(faults()) == 40
    for fault in faults():
        right = (SOURCE / fault.path).read_text(encoding="utf-8")
        wrong = ast.parse(fault.put_into(right))
        assert ast.dump(wrong) != ast.dump(ast.parse(right)), fault
