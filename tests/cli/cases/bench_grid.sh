# A little of the grid on two devices: every line is JSON with the members that readers need, and no case comes twice.
[ -n "$(command -v python3)" ] || skip "no python3"
cat >look.py <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
needed = {"verb", "op", "type", "shape", "axis", "n", "variant", "us", "hot_us", "call_us", "limit_us", "percent", "peers",
          "device", "commit", "first", "last", "checked", "part"}
keys = [(case["part"], case["verb"], case["op"], case["type"], str(case["shape"]), case["axis"], case["variant"])
        for case in lines[1:]]
print({"read_gbps", "copy_gbps", "empty_launch_us", "commit"} <= set(lines[0]), all(needed <= set(case) for case in lines[1:]),
      len(keys) == len(set(keys)), len(keys) > 5, sorted({key[0] for key in keys}))
PYTHON
for device in cpu simt; do
    parts=rows,columns,axes,exact
    [ $device = cpu ] || parts=exact
    "$TALLY" info --device $device >/dev/null 2>&1 || skip "no device $device"
    "$TALLY" bench --device $device --grid quick --part $parts --type f32 --op sum --json $device.jsonl |
        tail -n 1 | sed 's/^[0-9]* timed/N timed/'
    while IFS= read -r line; do
        printf '%s' "$line" | python3 -m json.tool >/dev/null || echo "not JSON: $line"
    done <$device.jsonl
    python3 look.py $device.jsonl
done
