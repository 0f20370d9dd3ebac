"""Launches about what values are: unwritten memory and registers, overflow, NaN and infinity."""


def uninitialized(make):
    theme, tensor, output, up = make.Theme("uninitialized"), make.tensor, make.output, make.count_up()
    finding = theme.finding
    out = output("f32", 32)

    theme.launch("read_of_a_filled_tensor", "read_global", {"x": tensor("f32", 32, init=up), "out": out}, ["x", "out"])
    theme.launch("read_of_an_unfilled_tensor", "read_global", {"x": tensor("f32", 32), "out": out}, ["x", "out"],
                 finding("uninitialized-read", "the read", "x", index=[0], byte_offset=0),
                 twin="read_of_a_filled_tensor")

    kept = {"kept": tensor("f32", 32), "out": out}
    theme.launch("read_of_what_was_written", "read_written", kept, ["kept", "out", 20, 20])
    theme.launch("read_of_more_than_was_written", "read_written", kept, ["kept", "out", 20, 24],
                 finding("uninitialized-read", "the read of what was kept", "kept", index=[20], byte_offset=80),
                 twin="read_of_what_was_written")

    theme.launch("read_of_a_filled_tile", "read_shared", {"out": out}, ["out", 32])
    theme.launch("read_of_an_unfilled_tile", "read_shared", {"out": out}, ["out", 31],
                 finding("uninitialized-read", "the read of the tile", space="shared", byte_offset=124),
                 twin="read_of_a_filled_tile")

    ordered = {"order": tensor("i32", 8, init={"values": [3, 1, 4, 0, 5, 2, 7, 6]}), "out": out}
    theme.launch("read_of_a_filled_array", "read_local", ordered, ["order", "out", 8])
    theme.launch("read_of_an_unfilled_array", "read_local", ordered, ["order", "out", 7],
                 finding("uninitialized-read", "the read of the array", space="local", byte_offset=24),
                 twin="read_of_a_filled_array")

    words = {"kept": tensor("u8", 128), "out": output("u32", 32)}
    theme.launch("read_of_a_whole_word", "read_word_of_bytes", words, ["kept", "out", 4])
    theme.launch("read_of_three_bytes_of_a_word", "read_word_of_bytes", words, ["kept", "out", 3],
                 finding("uninitialized-read", "the read of the word", "kept", byte_offset=0),
                 twin="read_of_a_whole_word")
    single = {"out": output("u32", 32)}
    theme.launch("read_of_a_whole_shared_word", "read_shared_word_of_bytes", single, ["out", 4])
    theme.launch("read_of_three_bytes_of_a_shared_word", "read_shared_word_of_bytes", single, ["out", 3],
                 finding("uninitialized-read", "the read of the shared word", space="shared", byte_offset=0),
                 twin="read_of_a_whole_shared_word")

    x = tensor("f32", 32, init=up)
    for kind, tensors, args in (("address", {"x": x, "out": out}, ["x", "out"]), ("branch", {"out": out}, ["out"]),
                                ("value", {"out": output("i32", 32)}, ["out"])):
        theme.launch(f"set_register_as_{kind}", f"set_as_{kind}", tensors, args)
        theme.launch(f"unset_register_as_{kind}", f"unset_as_{kind}", tensors, args,
                     finding("uninitialized-read", f"the {kind}"), twin=f"set_register_as_{kind}")
    theme.launch("unset_register_without_use", "unset_without_use", {"out": output("i32", 32)}, ["out", 0])


def overflow(make):
    theme, tensor, output = make.Theme("overflow"), make.tensor, make.output
    finding = theme.finding
    stride = 80_000_000  # 27 rows and more are past 2^31
    huge = {"x": tensor("i8", 32 * stride, init="zeros"), "out": output("i8", 32)}
    theme.launch("product_in_32_bits_fits", "product_in_32_bits", huge, ["x", "out", 69_000_000])
    theme.launch("product_in_32_bits_overflows", "product_in_32_bits", huge, ["x", "out", stride],
                 finding("index-overflow", "the product", "x"),
                 finding("out-of-bounds-read", "the product", "x"), twin="product_in_64_bits")
    theme.launch("product_in_64_bits", "product_in_64_bits", huge, ["x", "out", stride])
    theme.launch("product_without_sign", "product_without_sign", huge, ["x", "out", {"u32": stride}])
    small = {"x": tensor("i8", 64, init="zeros"), "out": output("i8", 32)}
    theme.launch("sum_that_comes_back", "sum_that_comes_back", small, ["x", "out", 2_000_000_000])
    theme.launch("hash_that_is_stored", "hash_values", {"out": output("i32", 32)}, ["out", 12345])
    theme.launch("hash_that_is_an_index", "read_by_hash", small, ["x", "out", {"u32": 12345}])


def nonfinite(make):
    theme, tensor = make.Theme("nonfinite"), make.tensor
    finding, out, up = theme.finding, make.output("f32", 32, finite=True), make.count_up(1)

    def with_zero(n):
        return {"values": [0 if i == n else i + 1 for i in range(32)]}

    def division(name, x, y, *findings):
        tensors = {"x": tensor("f32", 32, init=x), "y": tensor("f32", 32, init=y), "out": out}
        theme.launch(name, "divide", tensors, ["x", "y", "out"], *findings, twin=findings and "division")

    origin = finding("nonfinite-origin", "the division", "out", index=[7])
    division("division", up, up)
    division("division_of_zero_by_zero", with_zero(7), with_zero(7), origin)
    division("division_by_zero", up, with_zero(7), origin)

    two = {"x": tensor("f32", 32, init=up), "out": out}
    theme.launch("difference_of_numbers", "subtract_limits", two, ["x", "out", {"f32": 5}])
    infinite = {"x": tensor("f32", 32, init=make.fill("-inf")), "out": out}
    theme.launch("difference_of_infinities", "subtract_limits", infinite, ["x", "out", {"f32": "-inf"}],
                 finding("nonfinite-origin", "the difference", "out", index=[0]), twin="difference_of_numbers")

    theme.launch("logarithm_of_numbers", "logarithm", two, ["x", "out"])
    negative = {"x": tensor("f32", 32, init=make.count_up(5, -1)), "out": out}
    theme.launch("logarithm_of_less_than_zero", "logarithm", negative, ["x", "out"],
                 finding("nonfinite-origin", "the logarithm", "out", index=[5]), twin="logarithm_of_numbers")

    many = {"x": tensor("f32", 64, init=up), "out": out}
    theme.launch("constant_infinity_replaced", "smallest_of_some", many, ["x", "out", 2])
    theme.launch("constant_infinity_dropped", "smallest_of_some", many, ["x", "out", 0])
    theme.launch("softmax_with_a_mask", "masked_softmax", two, ["x", "out", 20])
    theme.launch("softmax_with_all_masked", "masked_softmax", two, ["x", "out", 0],
                 finding("nonfinite-origin", "the weight", "out", index=[0]), twin="softmax_with_a_mask")

    theme.launch("root_of_numbers", "root_by_tile", two, ["x", "out"])
    theme.launch("root_of_less_than_zero", "root_by_tile", negative, ["x", "out"],
                 finding("nonfinite-origin", "the root", "out", index=[0]), twin="root_of_numbers")


def launches(make):
    uninitialized(make)
    overflow(make)
    nonfinite(make)
