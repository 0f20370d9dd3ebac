"""Tests of somebody's kernels; see tests/long/python_gpu.py for what becomes of them."""

import unittest

import kernels
import pytest
import torch


def test_without_a_launch():
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.sum().backward()
    assert x.grad.is_cuda


def test_right():
    kernels.right()


def test_wrong_mask():
    kernels.wrong_mask()  # its numbers are right


def test_fails_by_itself():
    kernels.right()
    assert False, "its own"


@pytest.mark.parametrize("n", [100, 128])
def test_where_the_block_is_full(n):
    kernels.scaled(torch.ones(n, device="cuda"))


class PartsTest(unittest.TestCase):

    def test_parts(self):
        for kernel in (kernels.right, kernels.wrong_mask, kernels.right):
            with self.subTest(kernel=kernel):
                kernel()


@pytest.mark.xfail(strict=True, reason="a known fault")
def test_known_fault():
    kernels.wrong_mask()


@pytest.mark.xfail(strict=True, reason="it has gone")
def test_no_fault_any_more():
    kernels.right()
