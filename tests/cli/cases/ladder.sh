# tally ladder on the simulated device: counts are the same everywhere that its compiler is the same, so here only what
# the closed forms say of them; and what is asked for wrongly.
try ladder scams
try ladder reduce scan
try ladder reduce --type f16
try ladder reduce --op mean
try ladder reduce --rung modul
try ladder reduce --source
try ladder reduce --rows 5
try ladder rows --size 5
try ladder rows --exclusive
try ladder --device cpu
try ladder reduce --rung library --source
try ladder reduce --rung strided --source | tail -n 16
try ladder --device simt --counters
try ladder --counters --source --rung modulo
try ladder --once --inject-bug
try ladder --counters 2>&1 | sed 's/; on.*//'
try ladder --once --html page.html
try ladder rows --device simt --once --type field --rows 3 --columns 5 | sed -n 5,8p
counted() { sed -E 's|[0-9]+[=! ]|N |g; s| +| |g; s|^simt: .*|simt|' | head -n 16; } # builds with sanitizers count less
try ladder reduce --device simt --size 777 --type i32 --op max | counted
try ladder scan --device simt --size 2000 --rung naive | head -n 5 | counted
try ladder columns --device simt --rows 7 --columns 40 --type field --csv | cut -d, -f 1,2
unclear() { sed -E 's#"(description|version)": "[^"]*"#"\1": TEXT#g; s#(divergent_branches|bank_conflicts|transactions)": [0-9]+#\1": N#g'; }
try ladder fan-in --device simt --size 100 --rung special-4 --json | unclear
try ladder rows --device simt --inject-bug | grep -c ' caught$'
try ladder rows --device simt --rung warp-per-row --html /nonexistent/page.html | head -n 2 | counted
