#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# pipeline.sh - running totals and statistics in a pipe. Usage: pipeline.sh [PATH_OF_TALLY]
set -euo pipefail
tally=${1:-tally}
data=$(cd "$(dirname "$0")/../data" && pwd)

# A balance after each booking: every prefix is the exact sum, rounded once.
printf '0.1 0.2 0.3 -0.6\n' | "$tally" scan sum - -o -

# The sunspots of each solar cycle's peak years: filter with the shell's tools, total with tally.
awk -F, 'NR > 1 && $2 > 100 { print $2 }' "$data/sunspots_yearly.csv" | "$tally" stats -
