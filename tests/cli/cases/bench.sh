# What tally bench says, with its numbers left out.
numbers() { sed -E 's/[0-9]+\.[0-9]+/N/g; s/ +/ /g; s/^cpu:[0-9]+: .*/cpu/'; }

try bench --help
try bench --size 0
try bench --op summ
try bench --type f31
try bench --device nowhere
try bench file.npy
try bench --device cpu:1 --quick --op max --type i32 --size 4096 --json out.json | numbers
sed -E 's/[0-9]+\.[0-9]+/N/g; s/"(description|version)": "[^"]*"/"\1": TEXT/g; s/"runs": [0-9]+/"runs": R/' out.json
try bench --device cpu:1 --quick --op max --type i32 --size 64 --json /nonexistent/out.json
