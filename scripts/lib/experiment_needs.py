# SPDX-License-Identifier: BSD-3-Clause
"""What a configuration takes: matrices, runs, sizes, a GPU or none, and the time that it took where
its record is committed."""
import json
import os

from experiments import existing
from results import cpu_name, device_name, read_json

CPU_MODES = ("cpu", "fast-cpu", "glu3-cpu")
GPU_PEERS = ("cublas", "cudss", "cusolver", "magma")


def names_of(entry):
    """What the matrices of an entry are called: several for the values of a range or a list."""
    generate = entry.get("generate")
    if generate is None:
        return [entry.get("name") or os.path.basename(entry["file"])]
    names = [generate["name"]]
    for key in ("n", "count"):
        values = values_of(generate.get(key))
        if len(values) > 1:
            names = [f"{name}-{value}" for name in names for value in values]
    return names


def values_of(value):
    """[4, 8] of a list, [1, 2, 3] of "1..3", one value of anything else."""
    if isinstance(value, list):
        return value
    if isinstance(value, str) and ".." in value:
        first, last = value.split("..")
        return list(range(int(first), int(last) + 1))
    return [value]


def variants_of(config):
    peers = [{"name": peer, "mode": "none", "options": {"peer": peer}}
             for peer in config.get("peers", [])]
    return [one for variant in config["variants"] for one in values_of_each(variant)] + peers


def values_of_each(variant):
    """The variants that an entry stands for: one for every value of the options in `each`."""
    name = variant.get("name") or variant["mode"]
    found = [{**variant, "name": name, "entry": name}]
    for option, values in variant.get("each", {}).items():
        found = [{**one, "name": f"{one['name']}-{value}",
                  "options": {**one.get("options", {}), option: value}}
                 for one in found for value in values]
    return found


def needs_gpu(variant):
    options = variant.get("options", {})
    if variant.get("mode") == "none":
        return str(options.get("peer", "")).startswith(GPU_PEERS)
    on_gpu = any(str(value).startswith(("gpu-", "nd-gpu")) for value in options.values())
    return on_gpu or variant.get("mode") not in CPU_MODES


def excluded(config, matrix, variant):
    """variant as variants_of() gives it: its own name, or that of its entry, may be excluded."""
    def among(names, wanted):
        return bool(names.intersection(wanted if isinstance(wanted, list) else [wanted]))
    return any(among({matrix}, pair["matrix"])
               and among({variant["name"], variant.get("entry")}, pair["variant"])
               for pair in config.get("exclude", []))


def runs_of(config):
    """(matrix, variant) of every run."""
    entries = config.get("matrices") or config["inputs"]
    return [(name, variant) for entry in entries for name in names_of(entry)
            for variant in variants_of(config)
            if not excluded(config, name, variant)]


def most_entries(config):
    """Of the matrices whose size the configuration says, or None."""
    sizes = [(entry.get("generate") or entry.get("stand_in") or {}).get("nnz")
             for entry in config.get("matrices", [])]
    return max((size for size in sizes if size), default=None)


def timed(config_path, results):
    """How long a sweep of this configuration took where its record is at hand, its segments one
    after the other."""
    for folder in sorted(path for path in results.iterdir() if path.is_dir()):
        found = records_of(config_path, folder)
        if found:
            seconds = sum(run["sweep"]["elapsed_s"] for content in found.values()
                          for run in content["runs"])
            took = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
            path, content = next(iter(found.items()))
            return (f"{took} on {device_name(content['meta'])}, {cpu_name(content['meta'])} "
                    f"({os.path.relpath(path, results.parent)})")
    return "no record that tells the time"


def records_of(config_path, folder):
    """{path: content} of the record in the folder, or of its segments. Quick and full
    configurations may have the same name: the record says which it was."""
    quick = os.path.basename(os.path.dirname(config_path)) == "quick"
    name = os.path.basename(config_path)

    def is_of_it(content):
        given = [word for word in content["meta"]["argv"] if word.endswith(name)]
        return bool(given) and ("quick/" in given[0]) == quick
    contents = {path: read_json(path)
                for path in existing([name.removesuffix(".json")], str(folder))}
    return {path: content for path, content in contents.items() if is_of_it(content)}


def describe(config_path, results):
    """One line: what a sweep of the configuration takes. results: the folder of records."""
    with open(config_path, encoding="utf-8") as file:
        config = json.load(file)
    runs = runs_of(config)
    on_gpu = sum(needs_gpu(variant) for _, variant in runs)
    parts = [f"{len({matrix for matrix, _ in runs})} inputs, {len(runs)} runs"]
    entries = most_entries(config)
    if entries:
        parts.append(f"up to {entries:,} entries")
    limit = config.get("options", {}).get("device-memory-limit")
    if on_gpu:
        parts.append("all need a GPU" if on_gpu == len(runs) else f"{on_gpu} need a GPU")
        if limit and limit != "none":
            parts.append(f"at most {limit} of its memory")
    else:
        parts.append("no GPU needed")
    return "; ".join([*parts, timed(config_path, results)])
