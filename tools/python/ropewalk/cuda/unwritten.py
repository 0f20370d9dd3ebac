"""Values that nobody has written, in memory that a kernel was given, where PyTorch's operators or the host read them: a note, as for
copies of C++ programs. A grid that is too small leaves them."""

import sys

import torch

from .. import session, stack
from . import copies, marks, rules, written

_TO_NUMBERS = frozenset("item tolist equal allclose __bool__ __int__ __float__ __index__ __complex__ __contains__".split())


def look(function, arguments, options, result):
    """After a call with a tensor among its arguments that is not all written, before what it writes is noted."""
    name = getattr(function, "__name__", "")
    if function in rules.SIZED or name in copies.NAMES:  # they only ask for its shape, or leave it as it is
        return
    results = marks.tensors_in(result)
    if not results and name not in _TO_NUMBERS:
        return
    if name in rules.READ_AND_WRITE:
        look_at(arguments[0], name.strip("_"))
    left_out = {marks.storage_id(one) for one in [*results, *rules.written_by(function, arguments, options)]}
    for tensor in marks.tensors_in(arguments, options):
        if marks.storage_id(tensor) not in left_out:
            look_at(tensor, name.strip("_"))


def look_at(tensor, reader):
    if marks.is_made_of_others(tensor):
        return
    mark = marks.mark_of(tensor)
    if mark is None or mark.written is None or not mark.was_lent or not tensor.numel():
        return
    if written.span_of(tensor) > written.LARGE:  # it would take too long
        return
    elements = copies.flags_of(tensor)
    if bool(elements.all()):
        return
    missing = torch.nonzero(~elements)
    callers = stack.of_program(sys._getframe(1))
    at = f" at {callers[0]}" if callers else ""
    if tensor.dim() == 0:
        what = f"an element that nobody wrote, number {tensor.storage_offset()} of memory that a kernel was given"
    else:
        index = ", ".join(str(number) for number in missing[0].tolist())
        shape = ", ".join(str(size) for size in tensor.shape)
        count = "1 element" if len(missing) == 1 else f"{len(missing)} elements"
        what = (f"a tensor of shape [{shape}] of memory that a kernel was given, in which nobody wrote {count}, the first at "
                f"[{index}]")
    session.current().handle.note(f"{reader}{at} reads {what}", reader + at)

