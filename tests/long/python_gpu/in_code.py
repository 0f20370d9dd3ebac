"""The virtual GPU asked for in code."""

import kernels
import torch

import ropewalk


def raised(*kinds, by=kernels.wrong_mask):
    try:
        by()
    except kinds as error:
        return error
    raise AssertionError("nothing was raised")


def main():
    with ropewalk.machine(target="sm_80", on_finding="raise") as session:
        kernels.right()
        error = raised(ropewalk.FindingError)
        assert [finding.rule for finding in error.findings] == ["out-of-bounds-read"], error
        assert "kernels.py" in error.findings[0].file and error.findings[0].stack[0].startswith("scaled ("), error
        assert len(session.findings) == 1 and session.launches == 2
        x, grid = torch.zeros(4, device="cuda"), (108 * 16,)  # of four warps each: all that the device holds
        kernels.add_kernel[grid](x, x, x, 4, BLOCK=16, launch_cooperative_grid=True)
        error = raised(ropewalk.FindingError, by=lambda: kernels.add_kernel[(108 * 16 + 1,)](
            x, x, x, 4, BLOCK=16, launch_cooperative_grid=True))
        assert [finding.rule for finding in error.findings] == ["launch-limit"], error
        kept = torch.ones(3, device="cuda")
        for count in (100, 128, 7, 100):  # a device reaches pinned memory, also where other pinned memory was before
            pinned, out = torch.ones(count, pin_memory=True), torch.zeros(count).pin_memory()
            for _ in range(2):
                kernels.add_kernel[(1,)](pinned, pinned, out, count, BLOCK=128)
            torch.cuda.synchronize()
            assert out.sum().item() == 2 * count and len(session.findings) == 2, session.findings
    assert not torch.cuda.is_available() and str(kept.device) == "cpu"

    with ropewalk.machine(target="sm_90") as session:
        assert torch.cuda.get_device_capability() == (9, 0)
        kernels.wrong_mask()
        kernels.wrong_mask()
        x = torch.zeros(4, device="cuda")
        compiled = kernels.add_kernel[(1,)](x, x, x, 4, BLOCK=16)
        assert ".target sm_90" in compiled.asm["ptx"]  # and not the kernel of the target before
    assert len(session.findings) == 1, session.findings

    x, out = torch.randn(100), torch.zeros(100)
    ropewalk.assert_clean(kernels.add_kernel, x, x, out, 100, BLOCK=128, grid=(1,))
    assert torch.equal(out, 2 * x)
    try:
        ropewalk.assert_clean(kernels.scale_kernel, x, out, 100, 2.0, BLOCK=128, grid=(1,))
    except AssertionError as error:
        assert "reads 4 bytes at x[100]" in str(error), error
    else:
        raise AssertionError("nothing was found")
    for options, what in (({"target": "sm_75"}, "sm_75"), ({"on_finding": "shout"}, "shout"), ({"colour": 1}, "colour")):
        try:
            with ropewalk.machine(**options):
                raise AssertionError(f"{options} were taken")
        except (ValueError, ropewalk.Error) as error:
            assert what in str(error), error
    print("as asked for")


if __name__ == "__main__":
    main()
