"""The early stop of the original Chinchilla fit, as a counter-example to smelt law fit.

Minimises Huber's loss (delta 1e-3) of log predicted - log observed loss over the runs of a CSV
file (params, training_flops, loss; the five highest losses left out) by BFGS, from the same starts and with the same stopping rule,
once summed over the runs and once averaged. The rule is L-BFGS-B's usual one: stop where no
component of the gradient exceeds 1e-5, or where a step lowers the objective by less than 2.2e-9
(relative to 1, for an objective below 1).
"""

import csv
import itertools
import math
import sys

DELTA = 1e-3
GRADIENT = 1e-5
DECREASE = 2.2e-9


def read_runs(path):
    """(log N, log D, log L) of all runs but the five highest losses."""
    with open(path) as file:
        rows = [(float(r["params"]), float(r["training_flops"]), float(r["loss"]))
                for r in csv.DictReader(file)]
    rows = sorted(rows, key=lambda row: row[2])[:-5]
    return [(math.log(n), math.log(c / (6 * n)), math.log(loss)) for n, c, loss in rows]


def objective(p, runs):
    """Sum of Huber's loss at p = (log A, log B, log E, alpha, beta), and its gradient."""
    total, gradient = 0.0, [0.0] * 5
    for log_n, log_d, log_loss in runs:
        terms = [math.exp(p[0] - p[3] * log_n), math.exp(p[1] - p[4] * log_d), math.exp(p[2])]
        residual = math.log(sum(terms)) - log_loss
        size = abs(residual)
        total += size * size / 2 if size <= DELTA else DELTA * (size - DELTA / 2)
        slope = max(-DELTA, min(DELTA, residual)) / sum(terms)
        by_a, by_b, by_e = (slope * term for term in terms)
        for j, part in enumerate((by_a, by_b, by_e, -by_a * log_n, -by_b * log_d)):
            gradient[j] += part
    return total, gradient


def dot(u, v):
    return sum(x * y for x, y in zip(u, v))


def line_search(f, x, value, gradient, direction):
    """A step that meets the weak Wolfe conditions, by bisection; None where there is none."""
    low, high, t = 0.0, None, 1.0
    slope = dot(gradient, direction)
    for _ in range(60):
        point = [a + t * b for a, b in zip(x, direction)]
        try:
            new_value, new_gradient = f(point)
        except (OverflowError, ValueError):
            new_value, new_gradient = math.inf, gradient
        if not new_value <= value + 1e-4 * t * slope:
            high = t
        elif dot(new_gradient, direction) < 0.9 * slope:
            low = t
        else:
            return point, new_value, new_gradient
        t = 2 * t if high is None else (low + high) / 2
    return None


def identity(scale):
    return [[scale * (i == j) for j in range(5)] for i in range(5)]


def minimise(f, x):
    """BFGS from x; the last point and its value."""
    value, gradient = f(x)
    inverse = identity(1 / math.sqrt(dot(gradient, gradient)))
    for step in range(1000):
        if max(map(abs, gradient)) <= GRADIENT:
            break
        found = line_search(f, x, value, gradient, [-dot(row, gradient) for row in inverse])
        if found is None:
            break
        moved = [a - b for a, b in zip(found[0], x)]
        turned = [a - b for a, b in zip(found[2], gradient)]
        decrease = value - found[1]
        x, value, gradient = found
        if decrease <= DECREASE:
            break
        curvature = dot(moved, turned)
        if step == 0:
            inverse = identity(curvature / dot(turned, turned))
        image = [dot(row, turned) for row in inverse]
        spread = (curvature + dot(turned, image)) / curvature ** 2
        inverse = [[inverse[i][j] + spread * moved[i] * moved[j]
                    - (image[i] * moved[j] + moved[i] * image[j]) / curvature
                    for j in range(5)] for i in range(5)]
    return x, value


def main():
    runs = read_runs(sys.argv[1])
    starts = itertools.product((0.0, 10.0), (0.0, 10.0), (0.0,), (0.5, 1.0), (0.5, 1.0))
    starts = [list(start) for start in starts]
    print("objective     E         A         B  alpha   beta  sum of Huber")
    for name, scale in (("summed", 1.0), ("averaged", 1.0 / len(runs))):
        def scaled(p):
            value, gradient = objective(p, runs)
            return value * scale, [scale * part for part in gradient]

        p, value = min((minimise(scaled, start) for start in starts), key=lambda end: end[1])
        a, b, e = (math.exp(log) for log in p[:3])
        print(f"{name:9}  {e:4.2f}  {a:8.3g}  {b:8.3g}  {p[3]:.3f}  {p[4]:.3f}      {value / scale:8.2e}")


if __name__ == "__main__":
    main()
