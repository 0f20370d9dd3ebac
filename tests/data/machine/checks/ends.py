"""Launches about how launches end: hangs, limits, outputs, assertions."""


def launches(make):
    theme, tensor, output = make.Theme("ends"), make.tensor, make.output
    finding = theme.finding
    out = {"out": output("f32", 32)}

    # 2^24 + 1 is no float: adding 1 to 2^24 changes nothing, and the loop has no end.
    theme.launch("loop_with_an_end", "add_until", out, ["out", {"f32": 100000}, {"f32": 1}])
    theme.launch("loop_without_end", "add_until", out, ["out", {"f32": 16777300}, {"f32": 1}],
                 finding("hang"), counterpart="loop_with_an_end")
    flags = {"flag": tensor("i32", 1, init="zeros"), "out": output("i32", 32)}
    theme.launch("flag_that_is_set", "wait_for_flag", flags, ["flag", "out", 1])
    theme.launch("flag_that_is_not_set", "wait_for_flag", flags, ["flag", "out", 0], finding("hang"),
                 counterpart="flag_that_is_set")

    def limit(name, entry, tensors, args, **more):
        theme.launch(name, entry, tensors, args, finding("launch-limit"), **more)

    theme.launch("grid_y_of_65535", "write_some", out, ["out", 32], grid=[1, 65535], blocks={"sample": 3, "seed": 1})
    limit("grid_y_of_65536", "write_some", out, ["out", 32], grid=[1, 65536], counterpart="grid_y_of_65535")
    theme.launch("block_of_1024", "write_some", {"out": output("f32", 1024)}, ["out", 1024], block=1024)
    limit("block_of_1025", "write_some", {"out": output("f32", 1025)}, ["out", 1025], block=1025, counterpart="block_of_1024")
    full = {"out": output("f32", 128)}
    theme.launch("block_as_bounded", "bounded_block", full, ["out"], block=128)
    limit("block_over_its_bound", "bounded_block", {"out": output("f32", 256)}, ["out"], block=256,
          counterpart="block_as_bounded")
    theme.launch("shared_memory_that_fits", "fill_dynamic_shared", out, ["out"], dynamic_shared_bytes=163 << 10)
    limit("shared_memory_over_the_limit", "fill_dynamic_shared", out, ["out"], dynamic_shared_bytes=(163 << 10) + 4,
          counterpart="shared_memory_that_fits")

    some = {"out": output("f32", 256)}
    theme.launch("output_written", "write_some", some, ["out", 256], grid=8)
    theme.launch("output_written_in_part", "write_some", some, ["out", 250],
                 finding("output-not-written", None, "out", index=[250], byte_offset=1000), grid=8,
                 counterpart="output_written")
    theme.launch("output_of_sampled_blocks", "write_some", some, ["out", 256], grid=8,
                 blocks={"sample": 3, "seed": 1})

    def positive(start):
        return {"x": tensor("f32", 32, init=make.count_up(start)), "out": output("f32", 32)}

    # What a launch that was cut short did not get to write is not reported.
    for entry, comment in (("assert_positive", "the assertion"), ("trap_unless_positive", "the trap")):
        theme.launch(f"{entry}_kept", entry, positive(1), ["x", "out"])
        theme.launch(f"{entry}_broken", entry, positive(-3), ["x", "out"], finding("device-assert", comment),
                     counterpart=f"{entry}_kept")
    theme.launch("print_some", "print_some", positive(1), ["x", "out"], grid=2)
