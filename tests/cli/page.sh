#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The page of tally ladder in a real browser: it renders, says nothing on the console, is not wider than a phone, and is
# dark where the user wants it. Left out, aloud, where there is no browser.
# Usage: page.sh TALLY
set -euo pipefail

tally=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0
failed=0

check() { # text, command...
    local text=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "page: $text" >&2
    fi
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    echo "page: LEFT OUT: no browser (Debian: apt install chromium)"
    exit 77
fi

browse() { # width, options...
    local width=$1
    shift
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
        --allow-file-access-from-files --window-size="$width",1600 --enable-logging=stderr "$@" 2>>browser.log
}

# The brightness of the middle of the top edge of a picture, which is the page's ground.
is_bright() { # picture
    python3 - "$1" <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, packed = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR":
        depth, colours = data[at + 16], data[at + 17]
    if kind == b"IDAT":
        packed += data[at + 8:at + 8 + size]
    at += 12 + size
assert depth == 8 and colours in (2, 6)
# The first pixel of the first row is never filtered against anything but zero.
sys.exit(0 if sum(zlib.decompress(packed)[1:4]) > 384 else 1)
PYTHON
}

cat >frame.html <<'HTML'
<!doctype html><body style="margin:0"><iframe src="page.html" style="width:390px;height:800px;border:0"></iframe>
<script>onload = () => { const page = document.querySelector("iframe").contentDocument;
document.body.dataset.width = page.scrollingElement.scrollWidth; }</script>
HTML

for ladder in reduce columns; do
    "$tally" ladder "$ladder" --device simt --html page.html >/dev/null
    browse 1100 --screenshot=light.png "file://$folder/page.html"
    browse 390 --screenshot=phone.png "file://$folder/page.html"
    browse 1100 --blink-settings=preferredColorScheme=0 --screenshot=dark.png "file://$folder/page.html"
    browse 1100 --dump-dom "file://$folder/page.html" >page.dom
    browse 500 --virtual-time-budget=5000 --dump-dom "file://$folder/frame.html" >frame.dom
    check "$ladder: no table" grep -q '<td>library</td>\|<td>[a-z-]*</td><td>[0-9]' page.dom
    check "$ladder: no source" grep -q '__global__' page.dom
    check "$ladder: wider than a phone: $(grep -o 'data-width="[0-9]*"' frame.dom || true)" grep -q 'data-width="390"' frame.dom
    check "$ladder: empty picture" test "$(stat -c %s light.png)" -gt 20000 -a "$(stat -c %s phone.png)" -gt 20000
    check "$ladder: dark by day" is_bright light.png
    check "$ladder: bright at night" eval '! is_bright dark.png'
    check "$ladder: asks the network" eval '! grep -qE "(src|href)=\"?https?:|url\(" page.html'
done
check "the console has: $(grep CONSOLE browser.log || true)" eval '! grep -q CONSOLE browser.log'
echo "page: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
