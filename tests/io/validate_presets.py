"""Validates every preset against its JSON Schema, and each schema against faulty documents.

Usage: validate_presets.py PRESETS_FOLDER. Exits with 77 where python3-jsonschema is missing.
"""

import copy
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def changed(document, key, value):
    """The document with `key` set, or removed where the value is None."""
    result = copy.deepcopy(document)
    result.pop(key, None)
    if value is not None:
        result[key] = value
    return result


FAULTS = {
    "models": [
        ("hidden_size", None),
        ("hidden_size", 0),
        ("hidden_size", "1056"),
        ("hidden_size", 2.5),
        ("hidden_size", 10**10),
        ("num_experts", None),
        ("intermediate_size", 704),
        ("shared_expert_intermediate_size", 64),
        ("loop", {"start": 3}),
        ("attended_keys", 0),
        ("ffn_matrices", 4),
        ("model_type", "llama"),
        ("layers", 12),
    ],
    "rules": [
        ("tolerance", None),
        ("tolerance", {"flops": "4%"}),
        ("tolerance", {"flops": "4%", "params": -1, "kv": 0}),
        ("hidden_size", []),
        ("hidden_size", {"step": 8}),
        ("query_width", "any"),
        ("query_ratio", 2),
        ("head_size", 64),
    ],
    "laws": [
        ("form", None),
        ("form", "chinchila"),
        ("coefficients", None),
        ("coefficients", {"E": "1.69"}),
    ],
    "grids": [
        ("rows", None),
        ("rows", []),
        ("rows", [{"scale": "a"}]),
        ("match", {"loop": "none"}),
    ],
    "hardware": [
        ("source", None),
        ("multiprocessors", 0),
        ("memory_bytes", "80 GB"),
        ("dense_peak_flops_per_s", {}),
        ("dense_peak_flops_per_s", {"bf17": 1}),
        ("cores", 1),
    ],
    "spaces": [
        ("baseline", None),
        ("rules", None),
        ("rules", 4),
        ("num_hidden_layers", []),
        ("loop", {"visits": 2}),
        ("loop", {"length": "half", "visits": 2}),
        ("pareto", ["loss"]),
        ("objective", "min"),
        ("top", 0),
        ("spans", 2),
    ],
}
SCHEMAS = {
    "models": "model.json",
    "rules": "rules.json",
    "laws": "law.json",
    "grids": "grid.json",
    "spaces": "space.json",
    "hardware": "hardware.json",
}


def problems(presets):
    for folder, schema_name in SCHEMAS.items():
        schema = load(presets / "schemas" / schema_name)
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        files = sorted((presets / folder).glob("*.json"))
        if not files:
            yield f"{folder}: no presets"
        for file in files:
            for error in validator.iter_errors(load(file)):
                yield f"{file.name}: {error.json_path}: {error.message}"
            document = load(file)
            for key, value in FAULTS[folder]:
                if key in ("num_experts", "intermediate_size") and "num_experts" not in document:
                    continue
                if validator.is_valid(changed(document, key, value)):
                    yield f"{file.name}: valid with {key} = {value!r}"


found = list(problems(pathlib.Path(sys.argv[1])))
print("\n".join(found))
sys.exit(1 if found else 0)
