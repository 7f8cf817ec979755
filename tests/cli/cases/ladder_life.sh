# The ladder of Life on the simulated device, and what is asked for wrongly.
without_name() { sed 's|^simt: .*|simt|'; }
try ladder life --device simt --width 40 --height 33 --generations 3 | without_name
try ladder life --device simt --width 300 --height 300 --generations 1 --rung shared | without_name
try ladder life --device simt --width 70 --rung grid --json | sed -E 's#"description": "[^"]*"#"description": TEXT#'
try ladder life --device simt --inject-bug | grep -c ' caught$'
try ladder life --rung nosuch
try ladder life --type f32
try ladder reduce --width 3
try ladder life --device simt --width 0
try ladder life --device cpu
try ladder lif
try ladder life --source
try ladder life --rung packed --source | head -n 4
