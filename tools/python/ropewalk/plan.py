"""Notes of all ranks to plans ("ropewalk.plan/1"): the order that happened, and the orders that might have."""
import difflib
import json

MOST_EVENTS, MOST_ROWS = 32, 4096
ROPE_KEYS = ("head_dim", "qk_rope_head_dim", "hidden_size", "num_attention_heads", "max_position_embeddings",
             "original_max_position_embeddings", "rope_theta", "rope_scaling", "rope_parameters",
             "partial_rotary_factor", "rotary_pct", "rotary_emb_base", "rotary_dim")
SECTIONED = ("construct", "define_class", "enter_zero_init", "exit_zero_init")  # they concern every buffer


class NoPlan(ValueError):
    """What was recorded does not make a plan; the text says why."""


def config_of(notes):
    """The configuration that was given, or the one without scaling that the values themselves tell."""
    config = notes[0]["config"]
    if config is not None:
        return {key: config[key] for key in ROPE_KEYS if config.get(key) is not None}
    seen = [member for note in notes for member in note["members"] if member.get("theta")]
    if not seen:
        raise NoPlan("no rope cache had the values of a formula without scaling: record(..., config=...) must say what "
                     "was wanted")
    first = max(seen, key=lambda member: member["rows"])
    return {"head_dim": first["width"], "rope_theta": first["theta"],
            **({"max_position_embeddings": first["rows"]} if first["rows"] else {})}


def layer_types(config):
    """Of a configuration that has a formula for each type of layer: the types."""
    parameters = (config or {}).get("rope_parameters") or {}
    return [name for name, value in parameters.items() if isinstance(value, dict)]


def layer_type_of(title, types):
    """The type that a buffer's name begins with ("full_attention_inv_freq"), or None."""
    name = title.rsplit(".", 1)[-1]
    return next((one for one in types if name.startswith(f"{one}_")), None)


def by_layer_type(notes):
    """(suffix of a plan's file, notes) of each plan that is to be made: a plan has one formula."""
    config = notes[0]["config"]
    types = layer_types(config)
    parts = [("", notes)] if not types else [(f".{one}", [_of_layer_type(note, one, types) for note in notes]) for one in types]
    found = [(suffix, part) for suffix, part in parts if not types or any(note["members"] for note in part)]
    if not found:
        raise NoPlan("the configuration has a formula for each type of layer, and no rope cache's name begins with a type")
    return found


def _of_layer_type(note, wanted, types):
    kept = [n for n, member in enumerate(note["members"]) if layer_type_of(member["title"], types) == wanted]
    number = {old: new for new, old in enumerate(kept)}
    events = [{**event, "members": [number[n] for n in event["members"] if n in number]} for event in note["events"]]
    parameters = note["config"]["rope_parameters"][wanted]
    config = {**note["config"], "rope_parameters": parameters}
    if "rope_theta" in parameters:
        config.pop("rope_theta", None)
    return {**note, "config": config, "members": [note["members"][n] for n in kept], "events": events}


def device_of(notes):
    """The type of the devices that the ranks compute on."""
    places = {place for note in notes for member in note["members"] for place in member["places"]} - {"meta"}
    return next(iter(sorted(places - {"cpu"})), "cpu")


def _without_scaling(config):
    parameters = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return parameters.get("rope_type", parameters.get("type", "default")) in ("default", "linear", "llama3", "ntk")


def _common_name(title):
    """cos_cached and sin_cached of a module are cos_sin_cached; other titles are None."""
    *path, name = title.split(".")
    words = name.split("_")
    if ("cos" in words) == ("sin" in words):
        return None
    return ".".join([*path, "_".join("cos_sin" if word in ("cos", "sin") else word for word in words)])


def _history(note, number):
    return tuple((event["do"], tuple(sorted(event["options"].items()))) for event in note["events"]
                 if number in event["members"])


def _buffer_names(notes):
    """By title: the name of the buffer that it is. The cos and the sin of a module are one table where all that happened
    to the one happened to the other, on every rank."""
    titles = {member["title"] for note in notes for member in note["members"]}
    pairs = {}
    for title in sorted(titles):
        pairs.setdefault(_common_name(title), []).append(title)
    names = {title: title for title in titles}
    for common, pair in pairs.items():
        if common is None or common in titles or len(pair) != 2:
            continue
        if all(len({_history(note, n) for n, member in enumerate(note["members"]) if member["title"] in pair}) <= 1
               for note in notes):
            names.update(dict.fromkeys(pair, common))
    return names


def _starred(title):
    return ".".join("*" if part.isdigit() else part for part in title.split("."))


class Buffers:
    """Groups of members that had the same history on every rank: each is one buffer of the plan."""

    def __init__(self, notes, rows_may_be_fewer):
        self.named_by = _buffer_names(notes)
        histories = {}
        for note in notes:
            for number, member in enumerate(note["members"]):
                histories.setdefault(self.named_by[member["title"]], {}).setdefault(note["rank"], []).append(
                    (_history(note, number), member))
        self.of_title, self.described = {}, {}
        groups = {}
        for title, by_rank in histories.items():
            key = (members_form(by_rank), tuple(sorted((rank, tuple(h for h, _ in found[:1]))
                                                       for rank, found in by_rank.items())))
            groups.setdefault((_starred(title), key), []).append(title)
        taken = {}
        for (starred, _), titles in groups.items():
            name = titles[0] if len(titles) == 1 else starred
            taken[name] = taken.get(name, 0) + 1
            if taken[name] > 1:
                name = titles[0]
            for title in titles:
                self.of_title[title] = name
            found = [member for by_rank in [histories[titles[0]]] for list_ in by_rank.values() for _, member in list_]
            known = next((member for member in found if member.get("dtype")), found[0])
            described = {"holds": known["form"], "persistent": known["persistent"]}
            if known.get("dtype", "f32") != "f32":
                described["dtype"] = known["dtype"]
            if known["form"] == "table" and known.get("rows"):
                described["rows"] = min(known["rows"], MOST_ROWS) if rows_may_be_fewer else known["rows"]
            self.described[name] = described

    def named(self, note, numbers):
        return sorted({self.of_title[self.named_by[note["members"][n]["title"]]] for n in numbers})


def members_form(by_rank):
    return next(iter(by_rank.values()))[0][1]["form"]


def events_of(note, buffers, device):
    """The events of a rank in the plan's words. Equal ones that nothing has come between for their buffers are one."""
    always = {event["source"] for event in note["events"] if event["options"].get("when") == "always"}
    events = []
    for event in note["events"]:
        options = dict(event["options"])
        if event["source"] in always and "when" in options:
            options["when"] = "always"
        if "on" in options:
            options["on"] = {"meta": "meta", device: "device", "compute": "device"}.get(options["on"], "cpu")
        names = buffers.named(note, event["members"])
        if not names and event["do"] not in SECTIONED:
            continue
        if event["do"] == "grow":
            options["rows"] = min(options["rows"], 1 << 16)
        if "never_called" in options:
            options["never_called"] = sorted({_starred(name) for name in options["never_called"].split()})
        if event["do"] == "forward":
            rows = [buffers.described[name].get("rows", 4096) for name in names]
            options["positions"] = max(1, min([*rows, options["positions"], 256]))
        _add(events, {"do": event["do"], **options}, set(event["members"]),
             [how for how in ("bound", "lazy", "tied") if event.get(how)])
    return [{"what": event["what"], "names": buffers.named(note, event["members"]), "how": event["how"]}
            for event in events]


def _add(events, what, members, how):
    for earlier in reversed(events):
        if earlier["what"] == what and earlier["how"] == how:
            earlier["members"] |= members
            return
        if what["do"] in SECTIONED or earlier["what"]["do"] in SECTIONED or members & earlier["members"]:
            break
    events.append({"what": what, "members": members, "how": how})


def aligned(by_rank):
    """The events of all ranks as one list, each with the ranks that it happens on."""
    def key(event):
        return json.dumps([event["what"], event["names"], event["how"]], sort_keys=True)

    merged = [{**event, "ranks": [0]} for event in by_rank[0]]
    for rank, events in enumerate(by_rank[1:], 1):
        matcher = difflib.SequenceMatcher(None, [key(e) for e in merged], [key(e) for e in events], autojunk=False)
        result = []
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind == "equal":
                result += [{**event, "ranks": [*event["ranks"], rank]} for event in merged[a:b]]
            else:
                result += merged[a:b] + [{**event, "ranks": [rank]} for event in events[c:d]]
        merged = result
    return merged


def _constraints(events, number, free):
    """Numbers of the events that must have come before."""
    event = events[number]
    before = [n for n in range(number) if set(events[n]["ranks"]) & set(event["ranks"])]
    last_on = {rank: n for n in before for rank in events[n]["ranks"] if rank in event["ranks"]}
    if not free:
        return sorted(set(last_on.values()))
    kind = event["what"]["do"]
    if kind == "define_class":
        return []
    if kind == "forward" or "lazy" in event["how"] or any(events[n]["what"]["do"] == "forward" for n in before):
        return before
    in_constructor = kind in ("construct", "exit_zero_init") or "bound" in event["how"]
    needed = {n for n in before if "bound" in events[n]["how"] or
              events[n]["what"]["do"] in ("construct", "enter_zero_init") or
              (in_constructor and events[n]["what"]["do"] == "define_class")}
    # A buffer is made before anything is done to it, and what was tied to an event follows from it.
    for name in event["names"]:
        for rank in event["ranks"]:
            on_rank = [n for n in before if name in events[n]["names"] and rank in events[n]["ranks"]]
            made = 1
            while made < len(on_rank) and "tied" in events[on_rank[made]]["how"]:
                made += 1
            needed.update(on_rank[:made], on_rank[-1:] if "tied" in event["how"] else [])
    return sorted(needed)


def plan_of(notes, free):
    """The plan of notes, one a rank. free: with the constraints alone that the program's structure imposes (a module is
    constructed before anything is done to it; a forward comes after all that came before it); else the one order."""
    notes = sorted(notes, key=lambda note: note["rank"])
    config = config_of(notes)
    buffers = Buffers(notes, _without_scaling(config))
    if not buffers.described:
        raise NoPlan("no rope cache was seen")
    device = device_of(notes)
    events = aligned([events_of(note, buffers, device) for note in notes])
    if len(events) > MOST_EVENTS:
        raise NoPlan(f"{len(events)} events were recorded, a plan has at most {MOST_EVENTS}")
    every, counts, written = list(buffers.described), {}, []
    for event in events:
        kind = event["what"]["do"]
        counts[kind] = counts.get(kind, 0) + 1
        event["name"] = kind if counts[kind] == 1 else f"{kind} {counts[kind]}"
    came_before = []  # by event: all that must have happened
    for number, event in enumerate(events):
        one = {"name": event["name"], **event["what"]}
        if len(event["ranks"]) < len(notes):
            ranks = event["ranks"]
            one["ranks"] = "first" if ranks == [0] else "others" if ranks == list(range(1, len(notes))) else ranks
        if event["names"] and event["names"] != sorted(every):
            one["buffers"] = event["names"]
        direct = _constraints(events, number, free)
        came_before.append(set(direct).union(*(came_before[n] for n in direct)))
        implied = set().union(*(came_before[n] for n in direct))
        after = [events[n]["name"] for n in direct if n not in implied]
        if after:
            one["after"] = after
        written.append(one)
    remarks = sorted({remark for note in notes for remark in note["remarks"]})
    about = "recorded; " + ("the orders that the program's structure allows" if free else "the order that happened")
    return {"schema": "ropewalk.plan/1", "name": notes[0]["name"], "about": "; ".join([about, *remarks]),
            "ranks": len(notes), "config": config, "buffers": buffers.described, "events": written}
