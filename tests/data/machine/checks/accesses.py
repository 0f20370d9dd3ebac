"""Launches about where memory is accessed: bounds, fields, alignment."""


def bounds(make):
    theme, tensor, output, up = make.Theme("bounds"), make.tensor, make.output, make.count_up()
    finding = theme.finding

    def shifted(name, entry, comment, rule, tensor_name, shift, count=40, **where):
        tensors = {"x": tensor("f32", count, init=up), "out": output("f32", count)}
        args = ["x", "out", count]
        findings = [finding(rule, comment, tensor_name, space="global", **where)] if shift else []
        if shift and tensor_name == "out":  # what was written outside is missing inside
            first = 0 if shift > 0 else count + shift
            findings.append(finding("output-not-written", None, "out", index=[first]))
        theme.launch(name, entry, tensors, [*args, shift], *findings, grid=2, counterpart=shift and f"{entry}_in_place")

    shifted("read_global_in_place", "read_global", "", "", "x", 0)
    shifted("read_global_past_the_end", "read_global", "the read", "out-of-bounds-read", "x", 1, byte_offset=160,
            index=[40], bytes_past_end=0)
    shifted("read_global_far_past_the_end", "read_global", "the read", "out-of-bounds-read", "x", 1000,
            byte_offset=4000, index=[1000], bytes_past_end=3840)
    shifted("read_global_before_the_start", "read_global", "the read", "out-of-bounds-read", "x", -1, byte_offset=-4,
            index=[-1], bytes_before_start=4)
    shifted("write_global_in_place", "write_global", "", "", "out", 0)
    shifted("write_global_past_the_end", "write_global", "the write", "out-of-bounds-write", "out", 3, byte_offset=160,
            index=[40], bytes_past_end=0)
    shifted("write_global_before_the_start", "write_global", "the write", "out-of-bounds-write", "out", -2,
            byte_offset=-8, index=[-2], bytes_before_start=8)

    two = {"x": tensor("f32", 32, init=up), "out": output("f32", 32)}
    theme.launch("read_through_null", "read_global", two, [{"null": "ptr"}, "out", 32, 0],
                 finding("out-of-bounds-read", "the read"), counterpart="read_global_in_place")

    gone = {**two, "x": {**two["x"], "freed": True}}
    theme.launch("read_freed", "read_global", gone, ["x", "out", 32, 0],
                 finding("use-after-free", "the read", "x", space="global", byte_offset=0, index=[0]),
                 counterpart="read_freed_never_touched")
    theme.launch("read_freed_past_the_end", "read_global", gone, ["x", "out", 32, 32],
                 finding("out-of-bounds-read", "the read", "x", byte_offset=128, index=[32], bytes_past_end=0),
                 counterpart="read_freed_never_touched")
    theme.launch("read_freed_never_touched", "read_global", {**two, "y": gone["x"]}, ["x", "out", 32, 0])
    spent = {**two, "out": {"dtype": "f32", "shape": [32], "init": "uninitialized", "freed": True}}
    theme.launch("write_freed", "write_global", spent, ["x", "out", 32, 0],
                 finding("use-after-free", "the write", "out", byte_offset=0, index=[0]),
                 counterpart="write_global_in_place")

    counts = {"out": output("i32", 32, init="zeros")}
    theme.launch("add_global_in_place", "add_global", counts, ["out", 0])
    theme.launch("add_global_past_the_end", "add_global", counts, ["out", 1],
                 finding("out-of-bounds-write", "the addition", "out", byte_offset=128, index=[32]),
                 counterpart="add_global_in_place")

    def request(shift):
        return [{"struct": {"bytes": 32, "fields": [{"at": 0, "tensor": "x"}, {"at": 8, "tensor": "out"},
                                                    {"at": 16, "i64": 32}, {"at": 24, "i32": shift}]}}]

    theme.launch("read_by_struct_in_place", "read_by_struct", two, request(0))
    theme.launch("read_by_struct_past_the_end", "read_by_struct", two, request(2),
                 finding("out-of-bounds-read", "the read by a struct", "x", byte_offset=128, index=[32], argument=0),
                 counterpart="read_by_struct_in_place")

    theme.launch("read_shared_in_place", "read_shared", two, ["x", "out", 0])
    theme.launch("read_shared_past_the_end", "read_shared", two, ["x", "out", 1],
                 finding("out-of-bounds-read", "the read of the tile", space="shared", byte_offset=128,
                         bytes_past_end=0), counterpart="read_shared_in_place")
    theme.launch("read_shared_before_the_start", "read_shared", two, ["x", "out", -2],
                 finding("out-of-bounds-read", "the read of the tile", space="shared", byte_offset=-4,
                         bytes_before_start=4), counterpart="read_shared_in_place")
    theme.launch("write_shared_in_place", "write_shared", two, ["x", "out", 0])
    theme.launch("write_shared_past_the_end", "write_shared", two, ["x", "out", 4],
                 finding("out-of-bounds-write", "the write of the tile", space="shared", byte_offset=128),
                 finding("output-not-written", None, "out", index=[28]), counterpart="write_shared_in_place")
    theme.launch("write_dynamic_shared_in_place", "write_dynamic_shared", two, ["x", "out", 0],
                 dynamic_shared_bytes=128)
    theme.launch("write_dynamic_shared_past_the_end", "write_dynamic_shared", two, ["x", "out", 0],
                 finding("out-of-bounds-write", "the write of the dynamic tile", space="shared", byte_offset=124),
                 finding("out-of-bounds-read", "the read of the dynamic tile", space="shared", byte_offset=124),
                 dynamic_shared_bytes=124, counterpart="write_dynamic_shared_in_place")

    ordered = {"order": tensor("i32", 8, init={"values": [3, 1, 4, 0, 5, 2, 7, 6]}), "out": output("f32", 32)}
    for verb in ("read", "write"):
        theme.launch(f"{verb}_local_in_place", f"{verb}_local", ordered, ["order", "out", 0])
        theme.launch(f"{verb}_local_past_the_end", f"{verb}_local", ordered, ["order", "out", 1],
                     finding(f"out-of-bounds-{verb}", f"the {verb} of the array", space="local", byte_offset=32,
                             bytes_past_end=0), counterpart=f"{verb}_local_in_place")

    single = {"out": output("f32", 16)}
    theme.launch("read_constant_in_place", "read_constant", single, ["out", 0], block=16)
    theme.launch("read_constant_past_the_end", "read_constant", single, ["out", 2],
                 finding("out-of-bounds-read", "the read of the constant", "coefficients", byte_offset=64), block=16,
                 counterpart="read_constant_in_place")
    theme.launch("write_variable_in_place", "write_variable", single, ["out", 0], block=16)
    theme.launch("write_variable_past_the_end", "write_variable", single, ["out", 1],
                 finding("out-of-bounds-write", "the write of the variable", "scratch", byte_offset=64), block=16,
                 counterpart="write_variable_in_place")


def lost_values(make):
    theme, tensor, up = make.Theme("bounds"), make.tensor, make.count_up()
    out = make.output("f32", 32)
    numbers = {"x": tensor("i32", 32, init=up), "y": tensor("f32", 32, init=up), "out": out}
    for shift, name in ((0, "in_place"), (5, "past_the_end")):
        def lost(comment):
            return [theme.finding("out-of-bounds-read", comment, "x", byte_offset=128, index=[32])] if shift else []

        for kind, tensors, args, comment in (
                ("address", numbers, ["x", "y", "out", shift], "the read of an index"),
                ("branch", {"x": tensor("f32", 32, init=up), "out": out}, ["x", "out", shift], "the read of a count"),
                ("store", {"x": tensor("f32", 32, init=up), "out": out}, ["x", "out", shift], "the read of a value")):
            theme.launch(f"lost_value_as_{kind}_{name}", f"lost_value_as_{kind}", tensors, args, *lost(comment),
                         counterpart=shift and f"lost_value_as_{kind}_in_place")


def fields(make):
    theme, tensor, output = make.Theme("fields"), make.tensor, make.output
    finding = theme.finding
    halves = [{"name": "cos", "rows": [0, 4], "columns": [0, 16]}, {"name": "sin", "rows": [0, 4], "columns": [16, 32]}]

    def table(name, width, *findings, stride=32, fields=halves, crossed=False):
        tensors = {"table": tensor("f32", 4, 32, init=make.count_up(), fields=fields), "out": output("f32", 4, width)}
        reached = [{"tensor": "table", "field": "cos"}, {"tensor": "table", "field": "cos" if crossed else "sin"}]
        theme.launch(name, "add_halves", tensors, [*reached, "out", width, stride], *findings, grid=4, block=width,
                     counterpart=findings and "halves_apart")

    table("halves_apart", 16)
    table("cosine_into_sine", 17,
          finding("index-out-of-field", "the read of the cosine", "table", field="cos", index=[0, 16], byte_offset=64),
          finding("index-out-of-field", "the read of the sine", "table", field="sin", index=[1, 0]),
          finding("out-of-bounds-read", "the read of the sine", "table", field="sin", index=[4, 0], byte_offset=512))
    short = [{**halves[0], "rows": [0, 3]}, halves[1]]
    table("row_after_the_field", 16,
          finding("index-out-of-field", "the read of the cosine", "table", field="cos", index=[3, 0]), fields=short)

    def gap(name, entry, comment, width, *findings):
        tensors = {"out": output("f32", 4, 24, strides=[32, 1])}
        theme.launch(name, entry, tensors, ["out", width, 32], *findings, grid=4, block=32,
                     counterpart=findings and "write_rows_beside_the_gap")

    gap("write_rows_beside_the_gap", "fill_rows", "", 24)
    gap("write_rows_into_the_gap", "fill_rows", "", 25,
        finding("index-out-of-field", "the write of a row", "out", byte_offset=96),
        finding("out-of-bounds-write", "the write of a row", "out", byte_offset=480, bytes_past_end=0))

    def rows(name, width, *findings):
        tensors = {"x": tensor("f32", 4, 24, strides=[32, 1], init=make.count_up()), "out": output("f32", 4, width)}
        theme.launch(name, "copy_rows", tensors, ["x", "out", width, 32], *findings, grid=4, block=width,
                     counterpart=findings and "read_rows_beside_the_gap")

    rows("read_rows_beside_the_gap", 24)
    rows("read_rows_into_the_gap", 25, finding("index-out-of-field", "the read of a row", "x", byte_offset=96),
         finding("out-of-bounds-read", "the read of a row", "x", byte_offset=480, bytes_past_end=0))

    def head(name, head_dim, start, *findings):
        tensors = {"x": tensor("f32", 5, 16, init=make.count_up()), "out": output("f32", 4, 16)}
        theme.launch(name, "copy_head", tensors, ["x", "out", head_dim, 16 + start, start], *findings, grid=4,
                     block=16, counterpart=findings and "index_statement_kept")

    head("index_statement_kept", 16, 0)
    head("index_statement_broken", 16, 1, finding("index-out-of-field", "the statement", "x", field="x.head_dim"))


def alignment(make):
    theme, tensor, output = make.Theme("alignment"), make.tensor, make.output
    finding = theme.finding

    def case(name, entry, tensors, args, *findings, counterpart=None, **more):
        theme.launch(name, entry, tensors, args, *findings, counterpart=counterpart, **more)

    for shift in (0, 4, 1):
        tensors = {"x": tensor("f32", 136, init=make.count_up()), "out": output("f32", 128)}
        case(f"copy_fours_at_{shift}", "copy_fours", tensors, ["x", "out", shift],
             *([finding("misaligned-access", "the read of four", "x", byte_offset=4, index=[1])] if shift == 1 else []),
             counterpart=shift == 1 and "copy_fours_at_4")
    tensors = {"x": tensor("f32", 129, init=make.count_up()), "out": output("f32", 128)}
    case("copy_fours_at_an_odd_argument", "copy_fours", tensors, [{"tensor": "x", "offset_elements": 1}, "out", 0],
         finding("misaligned-access", "the read of four", "x", byte_offset=4, index=[1]), counterpart="copy_fours_at_0")
    odd = {**tensors, "x": {**tensors["x"], "alignment": 4}}
    case("copy_fours_from_a_tensor_aligned_to_4", "copy_fours", odd, ["x", "out", 0],
         finding("misaligned-access", "the read of four", "x", byte_offset=0), counterpart="copy_fours_at_0")
    for shift in (0, 2, 1):
        case(f"store_pairs_at_{shift}", "store_pairs", {"out": tensor("f32", 68)}, ["out", shift],
             *([finding("misaligned-access", "the write of two", "out", byte_offset=4)] if shift == 1 else []),
             counterpart=shift == 1 and "store_pairs_at_2")
    for shift in (0, 1):
        tensors = {"x": tensor("u16", 72, init=make.count_up()), "out": output("u32", 32)}
        case(f"shared_pairs_at_{shift}", "shared_pairs", tensors, ["x", "out", shift],
             *([finding("misaligned-access", "the read of a pair", space="shared", byte_offset=2)] if shift else []),
             counterpart=shift and "shared_pairs_at_0")


def launches(make):
    bounds(make)
    lost_values(make)
    fields(make)
    alignment(make)
