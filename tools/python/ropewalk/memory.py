"""Tensors of the virtual devices, and pinned ones, lent to the session that launches kernels on them: in place, with what is known to
be written."""

import torch

from .cuda import marks, written


def lend(session, tensor):
    """The address of its first element. All of its storage is what kernels may touch."""
    mark = _lend_storage(session, tensor.untyped_storage())
    mark.was_lent = True
    return mark.for_kernels() + tensor.storage_offset() * tensor.element_size()


def lend_told(session):
    """Memory that the program has an address of, before a call of the driver that may use it; and what is gone of it."""
    with torch._C.DisableTorchFunction():
        for storage in marks.all_told():
            _lend_storage(session, storage)
    _note_dead(session, marks.all_dead())


def _lend_storage(session, storage):
    mark = storage.ropewalk_mark or storage.ropewalk_pinned
    mark.place(storage)
    if mark.written is not None:
        mark.set_written(written.note_others(mark, storage))
    if mark.lent is not session:
        _lend(session, mark)
    return mark


def lend_all(session):
    """All that kernels can reach, for one that finds its pointers in memory; and what is gone, so that it is known as such."""
    for mark in marks.all_live():
        if mark.lent is not session:
            _lend(session, mark)
    _note_dead(session, marks.all_dead())


def lend_at(session, address):
    """The memory that a number leads to, if it is an address."""
    if address <= 0xFFFF:
        return
    for mark in marks.all_live():
        if mark.address <= address < mark.address + mark.bytes:
            if mark.lent is not session:
                _lend(session, mark)
            return
    dead = marks.all_dead()
    if any(first <= address < first + size for first, size in dead.items()):
        _note_dead(session, dead)


def _note_dead(session, dead):
    known = session.known_dead
    for address in known.keys() - dead.keys():
        session.handle.forget_freed(address)
    for address, size in dead.items() - known.items():
        session.handle.note_freed(address, size)
    session.known_dead = dead


def _lend(session, mark):
    mark.take_back()
    if mark.bytes and mark.for_kernels() == mark.address:
        session.handle.lend(mark.address, mark.bytes, mark.written.data_ptr() if mark.written is not None else None)
        mark.lent = session
