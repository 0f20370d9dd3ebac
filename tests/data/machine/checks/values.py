"""Launches about what values are: unwritten memory and registers, overflow, NaN and infinity."""


def uninitialized(make):
    theme, tensor, output, up = make.Theme("uninitialized"), make.tensor, make.output, make.count_up()
    finding = theme.finding
    out = output("f32", 32)

    theme.launch("read_of_a_filled_tensor", "read_global", {"x": tensor("f32", 32, init=up), "out": out}, ["x", "out"])
    theme.launch("read_of_an_unfilled_tensor", "read_global", {"x": tensor("f32", 32), "out": out}, ["x", "out"],
                 finding("uninitialized-read", "the read", "x", index=[0], byte_offset=0),
                 counterpart="read_of_a_filled_tensor")

    kept = {"kept": tensor("f32", 32), "out": out}
    theme.launch("read_of_what_was_written", "read_written", kept, ["kept", "out", 20, 20])
    theme.launch("read_of_more_than_was_written", "read_written", kept, ["kept", "out", 20, 24],
                 finding("uninitialized-read", "the read of what was kept", "kept", index=[20], byte_offset=80),
                 counterpart="read_of_what_was_written")

    theme.launch("read_of_a_filled_tile", "read_shared", {"out": out}, ["out", 32])
    theme.launch("read_of_an_unfilled_tile", "read_shared", {"out": out}, ["out", 31],
                 finding("uninitialized-read", "the read of the tile", space="shared", byte_offset=124),
                 counterpart="read_of_a_filled_tile")

    ordered = {"order": tensor("i32", 8, init={"values": [3, 1, 4, 0, 5, 2, 7, 6]}), "out": out}
    theme.launch("read_of_a_filled_array", "read_local", ordered, ["order", "out", 8])
    theme.launch("read_of_an_unfilled_array", "read_local", ordered, ["order", "out", 7],
                 finding("uninitialized-read", "the read of the array", space="local", byte_offset=24),
                 counterpart="read_of_a_filled_array")

    words = {"kept": tensor("u8", 128), "out": output("u32", 32)}
    theme.launch("read_of_a_whole_word", "read_word_of_bytes", words, ["kept", "out", 4])
    theme.launch("read_of_three_bytes_of_a_word", "read_word_of_bytes", words, ["kept", "out", 3],
                 finding("uninitialized-read", "the read of the word", "kept", byte_offset=0),
                 counterpart="read_of_a_whole_word")
    single = {"out": output("u32", 32)}
    theme.launch("read_of_a_whole_shared_word", "read_shared_word_of_bytes", single, ["out", 4])
    theme.launch("read_of_three_bytes_of_a_shared_word", "read_shared_word_of_bytes", single, ["out", 3],
                 finding("uninitialized-read", "the read of the shared word", space="shared", byte_offset=0),
                 counterpart="read_of_a_whole_shared_word")

    x = tensor("f32", 32, init=up)
    for kind, tensors, args in (("address", {"x": x, "out": out}, ["x", "out"]), ("branch", {"out": out}, ["out"]),
                                ("value", {"out": output("i32", 32)}, ["out"])):
        theme.launch(f"set_register_as_{kind}", f"set_as_{kind}", tensors, args)
        theme.launch(f"unset_register_as_{kind}", f"unset_as_{kind}", tensors, args,
                     finding("uninitialized-read", f"the {kind}"), counterpart=f"set_register_as_{kind}")
    theme.launch("unset_register_without_use", "unset_without_use", {"out": output("i32", 32)}, ["out", 0])
    unwritten_without_use(make, theme)


def unwritten_without_use(make, theme):
    """Memory that nobody wrote is read: told where that matters, at the read, and passed over where it does not."""
    tensor, output, finding = make.tensor, make.output, theme.finding
    half = {"fill": 1}

    def scores(name, queries, keys, masked, stored, *findings):
        tensors = {"q": tensor("f16", 16, 16, init=half), "k": tensor("f16", 8, 16, init=half),
                   "out": tensor("f32", 16, init="zeros", output=True)}
        theme.launch(name, "sum_scores", tensors, ["q", "k", "out", queries, keys, masked, stored], *findings,
                     counterpart=findings and "tail_rows_that_are_masked")

    scores("tail_rows_that_are_masked", 10, 5, 5, 10)
    scores("tail_rows_that_are_whole", 16, 8, 8, 16)
    scores("tail_keys_in_the_sum", 10, 5, 6, 10,
           finding("uninitialized-read", "the fragment of keys", space="shared", byte_offset=5 * 32))
    scores("tail_queries_stored", 10, 5, 5, 11,
           finding("uninitialized-read", "the fragment of queries", space="shared", byte_offset=10 * 32))

    def products(name, rows, stored, *findings, given=16):
        tensors = {"x": tensor("i32", given, 8, init=make.count_up(step=16843009)),
                   "y": tensor("i32", 8, 8, init=make.count_up()),
                   "out": tensor("i32", 16, 8, init="zeros", output=True)}
        theme.launch(name, "multiply_bytes", tensors, ["x", "y", "out", rows, stored], *findings,
                     counterpart=findings and "products_of_the_rows_that_are_copied")

    products("products_of_the_rows_that_are_copied", 10, 10)
    products("product_of_a_row_that_is_not_copied", 10, 11,
             finding("uninitialized-read", "the fragment of bytes of x", space="shared", byte_offset=10 * 32))
    products("product_of_a_row_past_the_end", 16, 16,
             finding("out-of-bounds-read", "the copy of the bytes of x", tensor="x"), given=15)

    single = {"out": output("f32", 32)}
    theme.launch("shuffle_from_written_lanes", "read_through_shuffle", single, ["out", 20, 20])
    theme.launch("shuffle_from_an_unwritten_lane", "read_through_shuffle", single, ["out", 20, 21],
                 finding("uninitialized-read", "the read for others", space="shared", byte_offset=80),
                 counterpart="shuffle_from_written_lanes")

    def masks(count):
        return {"masks": tensor("u32", 32, init={"values": [255] * count + [0] * (32 - count)}), "out": output("u32", 32)}

    theme.launch("word_that_is_masked", "read_under_a_mask", masks(20), ["masks", "out", 20])
    theme.launch("word_that_is_masked_in_part", "read_under_a_mask", masks(21), ["masks", "out", 20],
                 finding("uninitialized-read", "the read of the masked word", space="shared", byte_offset=80),
                 counterpart="word_that_is_masked")

    kept = {"kept": tensor("f32", 128), "out": output("f32", 32)}
    theme.launch("copy_of_more_than_is_used", "sum_of_a_copy", kept, ["kept", "out", 60, 60])
    theme.launch("copy_of_less_than_is_used", "sum_of_a_copy", kept, ["kept", "out", 60, 61],
                 finding("uninitialized-read", "the copy of what was kept", "kept", byte_offset=240),
                 counterpart="copy_of_more_than_is_used")

    some = {"out": tensor("f32", 32, init="zeros", output=True)}
    theme.launch("rounds_that_are_not_stored", "rounds_of_what_was_read", some, ["out", 31, 31])
    theme.launch("rounds_that_are_stored", "rounds_of_what_was_read", some, ["out", 31, 32],
                 finding("uninitialized-read", "the read that decides", space="shared", byte_offset=124),
                 counterpart="rounds_that_are_not_stored")
    theme.launch("store_by_what_was_written", "store_by_what_was_read", some, ["out", 32])
    theme.launch("store_by_what_was_not_written", "store_by_what_was_read", some, ["out", 31],
                 finding("uninitialized-read", "the read for the store", space="shared", byte_offset=124),
                 counterpart="store_by_what_was_written")


def overflow(make):
    theme, tensor, output = make.Theme("overflow"), make.tensor, make.output
    finding = theme.finding
    stride = 80_000_000  # 27 rows and more are past 2^31
    huge = {"x": tensor("i8", 32 * stride, init="zeros"), "out": output("i8", 32)}
    theme.launch("product_in_32_bits_fits", "product_in_32_bits", huge, ["x", "out", 69_000_000])
    theme.launch("product_in_32_bits_overflows", "product_in_32_bits", huge, ["x", "out", stride],
                 finding("index-overflow", "the product", "x"),
                 finding("out-of-bounds-read", "the product", "x"), counterpart="product_in_64_bits")
    theme.launch("product_in_64_bits", "product_in_64_bits", huge, ["x", "out", stride])
    theme.launch("product_without_sign", "product_without_sign", huge, ["x", "out", {"u32": stride}])
    small = {"x": tensor("i8", 64, init="zeros"), "out": output("i8", 32)}
    theme.launch("sum_that_comes_back", "sum_that_comes_back", small, ["x", "out", 2_000_000_000])
    theme.launch("hash_that_is_stored", "hash_values", {"out": output("i32", 32)}, ["out", 12345])
    theme.launch("hash_that_is_an_index", "read_by_hash", small, ["x", "out", {"u32": 12345}])


def division(make):
    theme, tensor, output = make.Theme("division"), make.tensor, make.output
    heads = {"out": output("i32", 2048 * 32)}
    theme.launch("groups_of_heads", "key_head_of", heads, ["out", 8, 2], grid=2048)
    theme.launch("groups_of_no_heads", "key_head_of", heads, ["out", 2, 8],
                 theme.finding("division-by-zero", "the quotient"), grid=2048, counterpart="groups_of_heads")
    theme.launch("quotient_by_zero_not_taken", "divide_where_it_can", heads, ["out", 0], grid=2048)
    pages = {"x": tensor("i32", 32, init="zeros"), "out": output("i32", 32)}
    theme.launch("pages_of_some_rows", "read_page", pages, ["x", "out", 16])
    theme.launch("pages_of_no_rows", "read_page", pages, ["x", "out", 0],
                 theme.finding("division-by-zero", "the remainder"), counterpart="pages_of_some_rows")


def nonfinite(make):
    theme, tensor = make.Theme("nonfinite"), make.tensor
    finding, out, up = theme.finding, make.output("f32", 32, finite=True), make.count_up(1)

    def with_zero(n):
        return {"values": [0 if i == n else i + 1 for i in range(32)]}

    def division(name, x, y, *findings):
        tensors = {"x": tensor("f32", 32, init=x), "y": tensor("f32", 32, init=y), "out": out}
        theme.launch(name, "divide", tensors, ["x", "y", "out"], *findings, counterpart=findings and "division")

    origin = finding("nonfinite-origin", "the division", "out", index=[7])
    division("division", up, up)
    division("division_of_zero_by_zero", with_zero(7), with_zero(7), origin)
    division("division_by_zero", up, with_zero(7), origin)

    two = {"x": tensor("f32", 32, init=up), "out": out}
    theme.launch("difference_of_numbers", "subtract_limits", two, ["x", "out", {"f32": 5}])
    infinite = {"x": tensor("f32", 32, init=make.fill("-inf")), "out": out}
    theme.launch("difference_of_infinities", "subtract_limits", infinite, ["x", "out", {"f32": "-inf"}],
                 finding("nonfinite-origin", "the difference", "out", index=[0]), counterpart="difference_of_numbers")

    theme.launch("logarithm_of_numbers", "logarithm", two, ["x", "out"])
    negative = {"x": tensor("f32", 32, init=make.count_up(5, -1)), "out": out}
    theme.launch("logarithm_of_less_than_zero", "logarithm", negative, ["x", "out"],
                 finding("nonfinite-origin", "the logarithm", "out", index=[5]), counterpart="logarithm_of_numbers")

    many = {"x": tensor("f32", 64, init=up), "out": out}
    theme.launch("constant_infinity_replaced", "smallest_of_some", many, ["x", "out", 2])
    theme.launch("constant_infinity_dropped", "smallest_of_some", many, ["x", "out", 0])
    theme.launch("softmax_with_a_mask", "masked_softmax", two, ["x", "out", 20])
    theme.launch("softmax_with_all_masked", "masked_softmax", two, ["x", "out", 0],
                 finding("nonfinite-origin", "the weight", "out", index=[0]), counterpart="softmax_with_a_mask")

    theme.launch("root_of_numbers", "root_by_tile", two, ["x", "out"])
    theme.launch("root_of_less_than_zero", "root_by_tile", negative, ["x", "out"],
                 finding("nonfinite-origin", "the root", "out", index=[0]), counterpart="root_of_numbers")

    def blocks(name, zero, *findings):
        x = [0 if i == zero else i + 1 for i in range(8 * 32)]
        tensors = {"x": tensor("f32", 256, init={"values": x}), "y": tensor("f32", 256, init={"values": x}),
                   "out": make.output("f32", 256, finite=True)}
        theme.launch(name, "divide_by_blocks", tensors, ["x", "y", "out"], *findings, grid=8,
                     counterpart=findings and "division_in_all_blocks")

    blocks("division_in_all_blocks", None)
    blocks("division_by_zero_in_block_5", 5 * 32 + 9,
           finding("nonfinite-origin", "the division of a block", "out", index=[169], block=[5, 0, 0], thread=[9, 0, 0]))

    def scores(name, negative, *findings):
        x = [-1 if i == negative else 1 for i in range(3 * 256)]
        tensors = {"x": tensor("f32", 768, init={"values": x}), "k": tensor("f16", 8, 16, init=make.fill(1)),
                   "out": make.output("f32", 3, 16, 8, finite=True)}
        theme.launch(name, "scores_of_roots", tensors, ["x", "k", "out"], *findings, grid=3,
                     counterpart=findings and "scores_of_numbers")

    scores("scores_of_numbers", None)
    scores("scores_with_one_root_of_less_than_zero", 2 * 256 + 11 * 16 + 7,
           finding("nonfinite-origin", "the root of an element", "out", index=[2, 11, 0], block=[2, 0, 0],
                   thread=[23, 0, 0]))


def launches(make):
    uninitialized(make)
    overflow(make)
    division(make)
    nonfinite(make)
