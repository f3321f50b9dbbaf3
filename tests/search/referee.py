"""All designs of small spaces by a generic solver, MiniZinc with Gecode, against smelt search.

The constraints are written here once more, from the cost model's formulas (docs/cost-model.md).
Usage: referee.py SMELT. Exits with 77 where MiniZinc or Gecode is missing.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

MODEL = """
int: L0; int: X0; int: k0; int: H0; int: E0; int: F0; int: G0; int: Q0; int: D0; int: n;
int: L; int: X; int: k; int: tol_flops; int: tol_params; int: tol_kv;
int: H_min; int: H_max; int: H_step; int: E_max; int: E_step; int: F_max; int: D_max; int: G_max;
bool: hidden_width; int: ratio_percent;

var H_min..H_max: H; var k..E_max: E; var 1..F_max: F; var 2..D_max: D; var 1..G_max: G;
var 1..H_max * 4: Q;  % query heads

function var int: attention(var int: h, var int: q, var int: g, var int: d) =
  2 * h * q * d + 2 * h * g * d;
function var int: layer(var int: h, var int: f, var int: q, var int: g, var int: d,
                        var int: router, var int: used) =
  attention(h, q, g, d) + h * router + 3 * h * f * used + 2 * h;
function var int: params(int: depth, var int: h, var int: e, var int: f, var int: q, var int: g,
                         var int: d) = depth * layer(h, f, q, g, d, e, e) + h;
function var int: flops(int: executed, int: top, var int: h, var int: e, var int: f, var int: q,
                        var int: g, var int: d) =
  6 * (executed * layer(h, f, q, g, d, e, top) + h) + 12 * q * d * n * executed;

var int: P = params(L, H, E, F, Q, G, D);
var int: C = flops(X, k, H, E, F, Q, G, D);
var int: W = 2 * G * D * X;
int: P0 = fix(params(L0, H0, E0, F0, Q0, G0, D0));
int: C0 = fix(flops(X0, k0, H0, E0, F0, Q0, G0, D0));
int: W0 = 2 * G0 * D0 * X0;

constraint 100 * abs(P - P0) <= tol_params * P0;
constraint 100 * abs(C - C0) <= tol_flops * C0;
constraint 100 * abs(W - W0) <= tol_kv * W0;
constraint H mod H_step = 0 /\\ E mod E_step = 0 /\\ D mod 2 = 0 /\\ Q mod G = 0;
constraint if hidden_width then Q * D = H else Q * D * H0 <= 2 * H * Q0 * D0 endif;
constraint 100 * F * H0 <= ratio_percent * F0 * H;
solve satisfy;
output ["\\(H) \\(E) \\(F) \\(Q) \\(G) \\(D)\\n"];
"""

BASELINES = [
    dict(H=32, L=4, E=6, F=8, k=2, Q=4, G=2, D=8, n=16),
    dict(H=24, L=3, E=4, F=12, k=1, Q=3, G=1, D=8, n=5),
    dict(H=40, L=4, E=8, F=6, k=2, Q=5, G=1, D=8, n=33),
]
# Baseline, depths, loops (start, length, visits) as the space's axes, k, hidden width, tolerances
SPACES = [
    (0, [4], dict(length=2, visits=2), [2], True, (15, 10, 20)),
    (0, [3, 4], dict(length=[1, 2], start="any", visits=[1, 3]), [1, 2], True, (20, 20, 35)),
    (1, [2, 3], dict(length=1, start=[0, 1], visits=[2, 3]), [1], False, (12, 12, 35)),
    (2, [4], dict(length=["1/2", 3], visits=2), [1, 2, 3], False, (8, 8, 25)),
    (1, [3, 4], None, [1, 2], True, (20, 15, 35)),
]
RATIO_PERCENT = 180


def model_of(b):
    return {
        "model_type": "smelt",
        "hidden_size": b["H"],
        "num_hidden_layers": b["L"],
        "num_attention_heads": b["Q"],
        "num_key_value_heads": b["G"],
        "head_dim": b["D"],
        "num_experts": b["E"],
        "num_experts_per_tok": b["k"],
        "moe_intermediate_size": b["F"],
        "attended_keys": b["n"],
    }


def bounds_of(b):
    return dict(H_min=8, H_max=b["H"] + 8, H_step=4, E_max=12, E_step=1, F_max=20, D_max=12, G_max=2)


def space_of(b, depths, loop, chosen, hidden_width, tolerance):
    limits = bounds_of(b)
    rules = {
        "hidden_size": {"min": limits["H_min"], "max": limits["H_max"], "multiple_of": 4},
        "num_experts": {"max": limits["E_max"]},
        "moe_intermediate_size": {"min": 1, "max": limits["F_max"]},
        "head_dim": {"min": 2, "max": limits["D_max"], "multiple_of": 2},
        "num_key_value_heads": {"min": 1, "max": limits["G_max"]},
        "ffn_ratio": {"max": RATIO_PERCENT / 100},
        "query_width": "hidden" if hidden_width else "free",
        "tolerance": dict(zip(("flops", "params", "kv"), (t / 100 for t in tolerance))),
    }
    space = {
        "baseline": model_of(b),
        "num_hidden_layers": depths,
        "num_experts_per_tok": chosen,
        "rules": rules,
    }
    return space if loop is None else {**space, "loop": loop}


def listed(value):
    return value if isinstance(value, list) else [value]


def stacks_of(depths, loop, chosen):
    """(L, start, length, visits, k) of every stack; a plain one as (L, 0, 0, 1, k)."""
    stacks = set()
    for depth in depths:
        loops = {(0, 0, 1)} if loop is None else set()
        for length in listed(loop["length"]) if loop else []:
            length = depth // 2 if length == "1/2" else length
            starts = loop.get("start", [(depth - length) // 2])
            starts = range(depth) if starts == "any" else starts
            for start in starts:
                for visits in listed(loop["visits"]):
                    if start + length <= depth:
                        loops.add((start, length, visits) if visits > 1 else (0, 0, 1))
        stacks |= {(depth, *span, k) for span in loops for k in chosen}
    return stacks


def solved(b, stack, hidden_width, tolerance, folder):
    depth, _, length, visits, k = stack
    data = {**{key + "0": value for key, value in b.items() if key != "n"}, "n": b["n"]}
    data |= {"X0": b["L"], "L": depth, "X": depth + (visits - 1) * length, "k": k}
    data |= bounds_of(b)
    data |= dict(zip(("tol_flops", "tol_params", "tol_kv"), tolerance))
    data |= {"hidden_width": str(hidden_width).lower(), "ratio_percent": RATIO_PERCENT}
    (folder / "data.dzn").write_text("".join(f"{k} = {v};\n" for k, v in data.items()))
    out = subprocess.run(
        ["minizinc", "--solver", "gecode", "--all-solutions", folder / "model.mzn", folder / "data.dzn"],
        check=True, capture_output=True, text=True,
    ).stdout
    return {tuple(map(int, line.split())) for line in out.splitlines() if line[0] not in "-="}


def searched(smelt, space, folder):
    (folder / "space.json").write_text(json.dumps(space))
    stream = folder / "designs.jsonl"
    subprocess.run([smelt, "search", folder / "space.json", "--stream", stream],
                   check=False, capture_output=True)
    designs = {}
    for line in stream.read_text().splitlines():
        d = json.loads(line)
        loop = d.get("loop", {"start": 0, "length": 0, "visits": 1})
        stack = (d["num_hidden_layers"], loop["start"], loop["length"], loop["visits"],
                 d["num_experts_per_tok"])
        design = tuple(d[key] for key in ("hidden_size", "num_experts", "moe_intermediate_size",
                                          "num_attention_heads", "num_key_value_heads", "head_dim"))
        designs.setdefault(stack, set()).add(design)
    return designs


def main(smelt):
    if shutil.which("minizinc") is None:
        print("skipped: no minizinc here (Debian: minizinc)")
        return 77
    if "gecode" not in subprocess.run(["minizinc", "--solvers"], capture_output=True, text=True).stdout:
        print("skipped: MiniZinc has no Gecode here")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.mzn").write_text(MODEL)
        for i, (base, depths, loop, chosen, hidden_width, tolerance) in enumerate(SPACES):
            b = BASELINES[base]
            found = searched(smelt, space_of(b, depths, loop, chosen, hidden_width, tolerance), folder)
            stacks = stacks_of(depths, loop, chosen)
            total = 0
            for stack in sorted(stacks):
                expected = solved(b, stack, hidden_width, tolerance, folder)
                total += len(expected)
                if found.get(stack, set()) != expected:
                    wrong += 1
                    print(f"space {i}, stack {stack}: {len(found.get(stack, set()))} designs, "
                          f"the solver has {len(expected)}")
            if not set(found) <= stacks or total == 0:
                wrong += 1
                print(f"space {i}: stacks {sorted(set(found) - stacks)}, {total} designs")
            print(f"space {i}: {len(stacks)} stacks, {total} designs")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
