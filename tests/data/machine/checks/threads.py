"""Launches about threads among each other: races, barriers, lanes."""


def shared_races(make):
    theme, tensor, output, up = make.Theme("shared_race"), make.tensor, make.output, make.count_up()
    finding = theme.finding

    def pair(count):
        return {"x": tensor("f32", count, init=up), "out": output("f32", count)}

    def counterparts(faulty, healthy, tensors, args, *findings, **more):
        theme.launch(healthy, healthy, tensors, args, **more)
        theme.launch(faulty, faulty, tensors, args, *findings, counterpart=healthy, **more)

    two = ["x", "out"]
    counterparts("turn_without_barrier", "turn_with_barrier", pair(64), two,
          finding("shared-race", "the read of another's", space="shared"), block=64)
    counterparts("fill_again_too_early", "fill_again_in_time", {"x": tensor("f32", 128, init=up), "out": output("f32", 64)},
          two, finding("shared-race", "the second filling", space="shared"), block=64)

    flag = {"out": output("i32", 1)}
    race = finding("shared-race", "the write of the flag", space="shared", byte_offset=0)
    theme.launch("write_one_value", "write_flag", flag, ["out", 0], block=64)
    theme.launch("write_two_values", "write_flag", flag, ["out", 1], race, block=64, counterpart="write_one_value")
    theme.launch("write_one_value_strictly", "write_flag", flag, ["out", 0], race, block=64, strict=True,
                 counterpart="write_by_one_thread_strictly")
    theme.launch("write_by_one_thread_strictly", "write_flag", flag, ["out", 0], block=32, strict=True)

    slots = {"out": output("i32", 32)}
    theme.launch("write_slots_alone", "write_slots", slots, ["out", 1])
    theme.launch("write_slots_by_two_lanes", "write_slots", slots, ["out", 2],
                 finding("shared-race", "the write of a slot", space="shared", byte_offset=0), counterpart="write_slots_alone")

    counterparts("swap_converged", "swap_synchronized", pair(32), two,
          finding("shared-race", "the read of a neighbour's", space="shared", severity="warning"))
    tensors = {"x": tensor("f32", 32, init=up), "out": output("f32", 16)}
    counterparts("hand_up_parted", "hand_up_synchronized", tensors, two,
          finding("shared-race", "the read from below", space="shared"))

    counterparts("copy_not_waited_for", "copy_complete", pair(256), two,
          finding("shared-race", "the read of the copy", space="shared"), block=64)
    theme.launch("copy_into_nothing", "copy_into_nothing", pair(256), two,
                 finding("uninitialized-read", "the read of the copy", space="shared"), block=64, counterpart="copy_complete")
    theme.launch("copy_without_barrier", "copy_without_barrier", pair(256), two,
                 finding("shared-race", "the read of the copy", space="shared"), block=64, counterpart="copy_complete")
    counterparts("count_shared_plainly", "count_shared_atomically", {"out": output("i32", 1)}, ["out"],
          finding("shared-race", "the count", space="shared"), block=64)


def global_races(make):
    theme, tensor, output = make.Theme("global_race"), make.tensor, make.output
    finding = theme.finding
    rows = {"out": output("i32", 96)}
    race = finding("global-race", "the write of a row", "out", index=[32])
    theme.launch("rows_apart", "write_rows", rows, ["out", 0, 1], grid=3)
    theme.launch("rows_that_overlap", "write_rows", rows, ["out", 8, 1], race, grid=3, counterpart="rows_apart")
    theme.launch("rows_that_overlap_equally", "write_rows", rows, ["out", 8, 0], grid=3)
    theme.launch("rows_that_overlap_equally_strictly", "write_rows", rows, ["out", 8, 0], race, grid=3, strict=True,
                 counterpart="rows_apart")

    race = finding("global-race", "the write of a place", "out", index=[20], block=[1, 0, 0], thread=[0, 0, 0],
                   other_block=[0, 0, 0], other_thread=[20, 0, 0])
    theme.launch("places_apart", "write_apart", {"out": output("i32", 64)}, ["out", 32], grid=2)
    theme.launch("places_that_overlap", "write_apart", {"out": output("i32", 52)}, ["out", 20], race, grid=2,
                 counterpart="places_apart")

    kept = {"kept": tensor("i32", 96), "out": output("i32", 96)}
    theme.launch("read_of_its_own_row", "read_row_of_another", kept, ["kept", "out", 0], grid=3)
    filled = {"kept": tensor("i32", 96, init="zeros"), "out": output("i32", 96)}
    theme.launch("read_of_anothers_row", "read_row_of_another", filled, ["kept", "out", 1],
                 finding("global-race", None, "kept"), grid=3, counterpart="read_of_its_own_row")

    handed = {"kept": tensor("i32", 64, init="zeros"), "out": output("i32", 64)}
    theme.launch("hand_on_with_barrier", "hand_on_with_barrier", handed, ["kept", "out"], block=64)
    theme.launch("hand_on_without_barrier", "hand_on_without_barrier", handed, ["kept", "out"],
                 finding("global-race", None, "kept"), block=64, counterpart="hand_on_with_barrier")

    count = {"out": output("i32", 1, init="zeros")}
    theme.launch("count_atomically", "count_atomically", count, ["out"], grid=4)
    theme.launch("count_plainly", "count_plainly", count, ["out"], finding("global-race", "the plain count", "out"),
                 grid=4, counterpart="count_atomically")
    theme.launch("count_and_reset", "count_and_reset", count, ["out"], finding("global-race", None, "out"), grid=4,
                 counterpart="count_atomically")


def barriers(make):
    theme, output = make.Theme("barriers"), make.output
    finding = theme.finding
    out = {"out": output("f32", 64)}

    def case(name, entry, args, comment=None, counterpart=None, block=64, tensors=out, severity="warning"):
        findings = [finding("barrier-divergence", comment, severity=severity)] if comment else []
        theme.launch(name, entry, tensors, ["out", *args], *findings, block=block, counterpart=counterpart)

    case("barrier_for_all", "barrier_in_branch", [64])
    case("barrier_for_half_a_warp", "barrier_in_branch", [16], "the barrier in a branch", "barrier_for_all")
    case("barrier_for_a_warp_and_a_half", "barrier_in_branch", [48], "the barrier in a branch", "barrier_for_all")
    half = {"out": output("f32", 32)}
    case("nobody_leaves_early", "leave_early", [64])
    case("a_warp_leaves_early", "leave_early", [32], tensors=half)
    case("a_warp_leaves_before_a_loop", "leave_before_loop", [32], tensors={"out": output("f32", 32)})
    case("a_warp_goes_round_the_barrier", "barrier_in_branch", [32], "the barrier in a branch", "barrier_for_all")
    theme.launch("a_warp_has_fewer_rounds", "barrier_in_loop", out, ["out", 3, 1],
                 finding("barrier-divergence", "the barrier in a loop", severity="warning"),
                 finding("barrier-divergence", "the second barrier in a loop", severity="warning"),
                 block=64, counterpart="as_many_rounds")
    case("a_warp_leaves_in_the_second_round", "leave_in_loop", [3, 1], tensors={"out": output("f32", 32)})
    case("named_barrier_of_64", "named_barrier", [64])
    case("named_barrier_of_96", "named_barrier", [96], "the named barrier", "named_barrier_of_64", severity="error")
    case("barrier_of_halves", "barrier_of_halves", [], block=128, tensors={"out": output("f32", 128)})
    case("arrive_and_wait", "arrive_and_wait", [], block=128)
    case("as_many_rounds", "barrier_in_loop", [3, 0])


def lanes(make):
    theme, tensor, output = make.Theme("lanes"), make.tensor, make.output
    finding = theme.finding
    pair = {"x": tensor("f32", 32, init=make.count_up()), "out": output("f32", 32)}

    def shuffle(name, count, distance, *findings):
        theme.launch(name, "shuffle_among", pair, ["x", "out", count, distance], *findings,
                     counterpart=findings and "shuffle_among_half")

    shuffle("shuffle_among_all", 32, 16)
    shuffle("shuffle_among_half", 16, 8)
    shuffle("shuffle_from_the_other_half", 16, 16, finding("inactive-lane-read", "the shuffle"))
    votes = {**pair, "out": output("i32", 32)}
    theme.launch("vote_among_all", "vote_among", votes, ["x", "out", 32])
    theme.launch("vote_of_lanes_that_do_not_come", "vote_among", votes, ["x", "out", 8],
                 finding("inactive-lane-read", "the vote", severity="warning"), counterpart="vote_among_all")
    theme.launch("sum_of_a_warp", "sum_of_warp", pair, ["x", "out"])
    theme.launch("sum_of_a_warp_that_is_not_full", "sum_of_warp",
                 {"x": tensor("f32", 20, init=make.count_up()), "out": output("f32", 20)}, ["x", "out"],
                 finding("inactive-lane-read"), block=20, counterpart="sum_of_a_warp")


def launches(make):
    shared_races(make)
    global_races(make)
    barriers(make)
    lanes(make)
