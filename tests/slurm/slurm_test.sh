#!/usr/bin/env bash
# A search as a Slurm job array on a real Slurm of one node, which this script starts on the loopback
# address and ends again. Exits with 77 where it cannot start one.
# Usage: slurm_test.sh SMELT
set -euo pipefail

smelt=$1
space=loops-200m
shards=8

skip() {
  echo "skipped: $*"
  exit 77
}

fail() {
  echo "FAILED: $*"
  tail -n 20 "$work"/*.log 2>/dev/null || true
  exit 1
}

for tool in munged slurmctld slurmd sbatch squeue scancel scontrol; do
  PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null ||
    skip "no $tool here (Debian: slurm-wlm, munge)"
done
[[ $(id -u) == 0 ]] || skip "slurmd needs root to start jobs"
[[ $(uname -s) == Linux ]] || skip "proctrack/linuxproc is of Linux"
PATH=$PATH:/usr/sbin

work=$(mktemp -d)
node=$(hostname -s)
pids=()

stop_all() {
  scancel --user=root --quiet 2>/dev/null || true
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap stop_all EXIT

# free_port: one that nothing listens on.
free_port() {
  local port
  for port in $(shuf -i 20000-40000 -n 50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

start_munge() {
  mkdir -p "$work/munge"
  chown root: "$work" "$work/munge"
  chmod 755 "$work" "$work/munge"
  head -c 1024 /dev/urandom >"$work/munge.key"
  chmod 400 "$work/munge.key"
  munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --seed-file="$work/munge/seed" \
    --log-file="$work/munge/munged.log" >"$work/munged.log" 2>&1 &
  pids+=($!)
}

write_config() {
  cat >"$work/slurm.conf" <<CONF
ClusterName=smelt
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
MailProg=/bin/true
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
  mkdir -p "$work/state" "$work/spool"
  touch "$work/cgroup.conf"
  export SLURM_CONF=$work/slurm.conf
}

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
  local last=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < last)) || return 1
    sleep 0.5
  done
}

is_idle() { [[ $(sinfo --noheader --format=%T) == idle* ]]; }
is_gone() { [[ -z $(squeue --noheader --jobs="$1" 2>/dev/null) ]]; }
is_running() { [[ $(squeue --noheader --states=RUNNING --jobs="$1" 2>/dev/null) ]]; }

start_slurm() {
  start_munge
  wait_until 20 test -S "$work/munge/socket" || skip "munged does not start: $(cat "$work/munged.log")"
  write_config
  slurmctld -D >"$work/slurmctld.out" 2>&1 &
  pids+=($!)
  slurmd -D -N "$node" >"$work/slurmd.out" 2>&1 &
  pids+=($!)
  wait_until 60 is_idle ||
    skip "Slurm does not come up: $(tail -n 3 "$work"/slurm*.log "$work"/slurm*.out 2>/dev/null)"
}

# submit SCRIPT [ARRAY]: sets $array and $merge.
submit() {
  local said
  said=$(sh "$@") || fail "sbatch refused the script"
  [[ $said =~ ^array\ ([0-9]+),\ merge\ ([0-9]+)$ ]] || fail "the script said: $said"
  array=${BASH_REMATCH[1]}
  merge=${BASH_REMATCH[2]}
}

start_slurm
export SMELT=$smelt
cd "$work"
mkdir run
cd run
"$smelt" search "$space" --json >expected.json

"$smelt" search "$space" --emit-slurm "$shards" >job.sh
submit job.sh
wait_until 120 is_gone "$merge" || fail "the array of $shards tasks and its merge did not end"
cmp expected.json result.json || fail "the merged result differs from the search of the whole"
echo "an array of $shards tasks and its merge give the bytes of the search of the whole"

# A shard killed in mid-run: SMELT waits inside shard 3 until it is cancelled.
rm part-*.jsonl result.json
cat >slow_smelt <<SH
#!/bin/sh
[ "\$SLURM_ARRAY_TASK_ID" = 3 ] || exec "$smelt" "\$@"
touch started
exec "$smelt" search "$work/run/huge.json" --yes --threads 1 --shard 3/$shards -o part-3.jsonl
SH
chmod +x slow_smelt
cat >huge.json <<'JSON'
{"baseline": "baseline-200m-s95",
 "loop": {"length": [1, 2, 3, 4, 5, 6], "start": "any", "visits": 2},
 "rules": {"hidden_size": {"min": 64}, "num_experts": {"max": 10000},
           "moe_intermediate_size": {"max": 10000}, "head_dim": {"min": 1, "max": 512},
           "num_key_value_heads": {"min": 1, "max": 64}, "query_width": "free",
           "tolerance": {"flops": "50%", "params": "50%", "kv": "50%"}},
 "pareto": ["max_abs_deviation", "ffn_ratio_distance"]}
JSON
SMELT=$PWD/slow_smelt submit job.sh
wait_until 60 test -e started || fail "shard 3 did not start"
is_running "${array}_3" || fail "shard 3 is not running"
scancel "${array}_3"
wait_until 60 is_gone "$array" || fail "the array did not end"
[[ ! -e part-3.jsonl ]] || fail "the killed shard left a part"
[[ ! -e result.json ]] || fail "the merge ran without shard 3"
[[ -z $(ls part-3.jsonl.tmp* 2>/dev/null) ]] || fail "the killed shard left a temporary file"
refused=$("$smelt" merge part-*.jsonl 2>&1) && fail "a merge without shard 3 succeeded"
[[ $refused == *"shard 3/$shards is missing"* ]] || fail "the merge said: $refused"
scancel "$merge" 2>/dev/null || true
echo "a shard killed in mid-run leaves no part, and the merge names it"

submit job.sh 3
wait_until 120 is_gone "$merge" || fail "the rerun and its merge did not end"
cmp expected.json result.json || fail "the result after the rerun differs"
echo "the shard run again and the merge give the same bytes"
