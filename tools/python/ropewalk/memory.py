"""Tensors of the virtual devices, and pinned ones, lent to the session that launches kernels on them: in place, with what is known to
be written."""

from .cuda import marks, written


def lend(session, tensor):
    """The address of its first element. All of its storage is what kernels may touch."""
    storage = tensor.untyped_storage()
    mark = storage.ropewalk_mark or storage.ropewalk_pinned
    mark.place(storage)
    if mark.written is not None:
        mark.set_written(written.note_others(mark, storage))
    if mark.lent is not session:
        _lend(session, mark)
    return mark.address + tensor.storage_offset() * tensor.element_size()


def lend_all(session):
    """All that kernels can reach, for one that finds its pointers in memory."""
    for mark in marks.all_live():
        if mark.lent is not session:
            _lend(session, mark)


def lend_at(session, address):
    """The memory that a number leads to, if it is an address."""
    for mark in marks.all_live() if address > 0xFFFF else ():
        if mark.address <= address < mark.address + mark.bytes and mark.lent is not session:
            _lend(session, mark)


def _lend(session, mark):
    mark.take_back()
    if mark.bytes:
        session.handle.lend(mark.address, mark.bytes, mark.written.data_ptr() if mark.written is not None else None)
        mark.lent = session
