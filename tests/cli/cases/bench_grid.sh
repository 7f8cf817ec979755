# A little of the grid on two devices: every line is JSON with the members that readers need, and no case comes twice.
[ -n "$(command -v python3)" ] || skip "no python3"
cat >look.py <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
always = {"verb", "op", "type", "shape", "axis", "n", "variant", "part", "peers", "device", "commit", "first", "last", "checked"}
times = {"us", "hot_us", "call_us", "limit_us", "percent"}
needed = {"jit": {"cold_ms", "warm_ms", "cold_open_ms", "warm_open_ms", "cold_target_ms", "warm_target_ms", "runs"},
          "scratch": {"scratch_bytes", "input_bytes", "allowed_bytes"}}
keys = [(case["part"], case["verb"], case["op"], case["type"], str(case["shape"]), str(case["axis"]), case["variant"])
        for case in lines[1:]]
print({"read_gbps", "copy_gbps", "empty_launch_us", "commit"} <= set(lines[0]),
      all(always | needed.get(case["part"], times) <= set(case) for case in lines[1:]),
      len(keys) == len(set(keys)), len(keys) > 5, sorted({key[0] for key in keys}))
print(sorted({(len(case["shape"]), str(case["axis"])) for case in lines[1:] if case["part"] == "axes"}))
PYTHON
for device in cpu simt; do
    parts=rows,columns,axes,exact,jit,scratch
    [ $device = cpu ] || parts=exact
    "$TALLY" info --device $device >/dev/null 2>&1 || skip "no device $device"
    "$TALLY" bench --device $device --grid quick --part $parts --type f32 --op sum --json $device.jsonl |
        tail -n 1 | sed 's/^[0-9]* timed/N timed/'
    python3 look.py $device.jsonl
done

# A kernel that one process compiles is there for the next one. A GPU's working memory stays within what is allowed.
"$TALLY" bench --device simt --grid quick --part jit,scratch --op max --json figures.jsonl >/dev/null
python3 -c 'import json
for case in map(json.loads, open("figures.jsonl")):
    if case.get("part") == "jit": print(case["warm_ms"] < case["cold_ms"])
    if case.get("part") == "scratch": print(0 < case["scratch_bytes"] <= case["allowed_bytes"])'
