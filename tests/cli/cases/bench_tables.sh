# From tally bench to tables and plots, without a GPU: the scripts of the repository on results of the CPU.
root=$(cd "$1/../.." && pwd)
[ -n "$(command -v python3)" ] || skip "no python3"
[ -z "${TALLY_TEST_SANITIZED:-}" ] || skip "most of it is Python, which no sanitizer sees"
export TALLY_COMMIT=abc BUILD=$(dirname "$TALLY")

"$root/script/bench-gpu" --device cpu --grid quick --part scan --results . --only tally,merge >log 2>&1 || cat log
"$TALLY" bench --device cpu --grid quick --part rows,axes,jit,scratch --type f32 --op sum --json cpu-quick-scan.jsonl >/dev/null
ls ./*.jsonl*
"$root/script/bench-gpu" --grid 2>&1
"$root/script/bench-gpu" --gird full 2>&1

# A peer that takes a second for everything, and a line that was cut off.
python3 "$root/bench/merge.py" --cases cpu-quick-scan.jsonl >cases
grep -c 'x[0-9]*x' cases
head -n 3 cases | sed -E 's/ -?[0-9.e+-]+ -?[0-9.e+-]+$/ FIRST LAST/'
while read -r key _; do
    echo "{\"key\": \"$key\", \"name\": \"slow\", \"us\": 1e6, \"call_us\": 2e6}"
done <cases >peer.jsonl
printf '{"key": "redu' >>peer.jsonl
python3 "$root/bench/merge.py" cpu-quick-scan.jsonl peer.jsonl none.jsonl 2>&1 >merged.jsonl
python3 "$root/bench/merge.py" --data merged.jsonl
python3 -c 'import json, sys
cases = [json.loads(line) for line in open("merged.jsonl") if "\"us\"" in line]
print(all(case["peers"] == ({"slow": 1e6} if len(case["shape"]) < 3 else {}) for case in cases), len(cases) > 40)'

# How Python peers read them: axes as NumPy has them, the same keys, and every part in its turn; no figures but times.
PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sys
sys.path[:0] = [sys.argv[1] + "/bench", sys.argv[1] + "/bench/peers"]
import merge, peer
cases = peer.read_cases("merged.jsonl")
print(sorted({str(peer.axis_argument(case)) for case in cases}), [part[0]["part"] for part in peer.in_parts(cases)])
print({peer.key_of(case) for case in cases} < set(merge.read_results("merged.jsonl")[1]), len(cases) > 40)' "$root"

tables() { python3 "$root/script/bench-tables" --page page.md --plots plots "$@"; }
printf 'before\n<!-- bench: none.jsonl -->\n<!-- end bench -->\nafter\n' >page.md
tables --check && tables && wc -l <page.md
tables --check --results merged.jsonl 2>&1
tables --results merged.jsonl && tables --check --results merged.jsonl
head -n 2 page.md
tail -n 2 page.md
grep '^### ' page.md
grep -A 2 '^### Several' page.md
ls plots
python3 -c 'import sys, xml.dom.minidom
for name in sys.argv[1:]: xml.dom.minidom.parse(name)' plots/*.svg
echo >>plots/scan-rows.svg
tables --check --results merged.jsonl 2>&1
tables --results merged.jsonl --worst 2 | grep -c 'us '
