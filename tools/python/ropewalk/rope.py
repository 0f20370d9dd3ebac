"""Rope caches out of a running PyTorch program, for rope-check.

    from ropewalk.rope import dump, record

    with record("out/", config=model_config):
        ... construct, shard, to_empty, load, one forward ...
    dump(model, "out/")

On every rank `dump` writes the rotary buffers to out/rank0.safetensors, out/rank1.safetensors, ..., which
`rope-check cache out/rank*.safetensors --config config.json` judges. `record` writes two plans for `rope-check init`:
out/recorded.plan.json, the order that happened, and out/orders.plan.json, which leaves open what the program could have
done in another order; of a model with a formula for each type of layer two for each, out/recorded.full_attention.plan.json.
This needs torch alone; with safetensors the dumps are of that format, without it .npy.
"""
import contextlib
import glob
import json
import os
import sys
import warnings

import torch
import torch.distributed as distributed

from . import buffers
from .files import write_tensors
from .interception import Interception
from .plan import NoPlan, by_layer_type, layer_types, plan_of
from .recording import Recording

__all__ = ["dump", "record", "merge"]


def _rank_and_size():
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


def dump(model, folder, position_offset=0):
    """Writes the rope caches of this rank's part of the model, with their modules' names, dtypes, devices, the rank and
    the position of their first row. The paths that were written. Caches on meta have nothing to write; they are named."""
    rank, size = _rank_and_size()
    tensors, about = {}, {"rank": rank, "world_size": size, "position_offset": position_offset, "tensors": {}, "meta": []}
    for name, _, _, tensor in buffers.rotary_buffers(model):
        tensor = buffers.local_part(tensor)
        if tensor.is_meta:
            about["meta"].append(name)
            continue
        tensors[name] = tensor.to("cpu", copy=True).contiguous()
        about["tensors"][name] = {"dtype": str(tensor.dtype).removeprefix("torch."), "device": str(tensor.device),
                                  "shape": list(tensor.shape)}
    if not tensors:
        raise ValueError("the model has no rope cache with values" +
                         (f"; on meta: {', '.join(about['meta'])}" if about["meta"] else ""))
    return write_tensors(folder, f"rank{rank}", tensors, about)


def _as_fields(config):
    if config is None or isinstance(config, dict):
        return config
    if hasattr(config, "to_dict"):
        return config.to_dict()
    if isinstance(config, (str, os.PathLike)):
        with open(config) as file:
            return json.load(file)
    raise TypeError(f"config: expected a dict, a path or a transformers configuration, found {type(config).__name__}")


def _formulas_of(config):
    """By type of layer, or under None: the base, and whether there is a scaling."""
    all_parameters = config.get("rope_parameters") or config.get("rope_scaling") or {}

    def formula(parameters):
        theta = parameters.get("rope_theta") or config.get("rope_theta") or 10000.0
        return theta, parameters.get("rope_type", parameters.get("type", "default")) != "default"

    types = layer_types(config)
    return {one: formula(all_parameters[one]) for one in types} if types else {None: formula(all_parameters)}


def _notes_of(recording, name, config):
    rank, size = _rank_and_size()
    members = [{"title": member.title, "form": member.form, "persistent": member.persistent,
                "places": sorted(member.places), **member.first} for member in recording.members]
    return {"rank": rank, "world_size": size, "name": name, "config": config, "members": members,
            "events": recording.events, "remarks": recording.remarks}


@contextlib.contextmanager
def record(folder, config=None, name="recorded"):
    """Notes what happens to rope caches until the end of the block. Each rank writes its notes, out/rank0.notes.json;
    then rank 0 makes the plans of all. Where a rank never comes to the end, `python -m ropewalk.rope FOLDER` makes them
    of the notes that there are. config: what config.json says of rope (a dict, a path, or transformers' object); without
    it a formula without scaling is read off the values."""
    fields = _as_fields(config)
    recording = Recording(_formulas_of(fields or {}))
    failed = True
    try:
        with Interception(recording):
            yield recording
            recording.catch_up()
        failed = False
    finally:
        os.makedirs(folder, exist_ok=True)
        notes = _notes_of(recording, name, fields)
        with open(os.path.join(folder, f"rank{notes['rank']}.notes.json"), "w") as file:
            json.dump(notes, file, indent=1)
        together = distributed.is_available() and distributed.is_initialized()
        if not failed and together:
            distributed.barrier()
        if notes["rank"] == 0 and (not failed or notes["world_size"] == 1):
            try:
                merge(folder, notes["world_size"])
            except NoPlan as reason:
                warnings.warn(f"{folder}: no plan was written: {reason}")


def merge(folder, ranks=None):
    """Makes the plans of the notes in a folder, of the first `ranks` ranks where that is given. Their paths."""
    found = glob.glob(os.path.join(glob.escape(folder), "rank*.notes.json"))
    notes = []
    for path in found:
        with open(path) as file:
            notes.append(json.load(file))
    notes = sorted((note for note in notes if ranks is None or note["rank"] < ranks), key=lambda note: note["rank"])
    if not notes or [note["rank"] for note in notes] != list(range(len(notes))):
        raise NoPlan(f"{folder} has the notes of ranks {[note['rank'] for note in notes]}, expected 0 and those behind it")
    paths = []
    for suffix, part in by_layer_type(notes):
        for kind, free in (("recorded", False), ("orders", True)):
            text = _as_text(plan_of(part, free))
            paths.append(os.path.join(folder, f"{kind}{suffix}.plan.json"))
            with open(paths[-1], "w") as file:
                file.write(text)
    return paths


def _as_text(plan):
    """JSON with an event a line, whose lines findings name."""
    head = {key: value for key, value in plan.items() if key != "events"}
    events = ",\n".join("    " + json.dumps(event) for event in plan["events"])
    return json.dumps(head, indent=2)[:-2] + ',\n  "events": [\n' + events + "\n  ]\n}\n"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python -m ropewalk.rope FOLDER")
    try:
        print("\n".join(merge(sys.argv[1])))
    except NoPlan as reason:
        sys.exit(f"ropewalk: {reason}")


if __name__ == "__main__":
    main()
