"""What a loop costs in width and gains in experts at each rung of a ladder."""
import json
import sys

with open(sys.argv[1]) as file:
    ladder = json.load(file)
baselines = {row["model"]["name"]: row["model"] for row in ladder["baselines"]}
for row in ladder["rows"]:
    design, baseline = row["model"], baselines[row["baseline"]]
    width = design["hidden_size"] / baseline["hidden_size"]
    experts = design["num_experts"] / baseline["num_experts"]
    worst = max(abs(x) for x in row["deviation"].values())
    print(f"{row['baseline']:6}  width x {width:.2f}  experts x {experts:.2f}"
          f"  worst {worst:.2%}")
