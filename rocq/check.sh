#!/usr/bin/env bash
# Writes the theorems of shipped games, has Rocq check each, and has it refuse mutations of them.
# usage: check.sh [--times] [MUTATIONS]
# So many mutations, by default 200, take an hour; each theorem takes seconds.
# The program is taken from NIMRULE, by default `nimrule`. With --times, the table of times in
# README.md is written again.
set -euo pipefail
cd "$(dirname "$0")"
nimrule="${NIMRULE:-nimrule}"
./build.sh
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

write() {
    "$nimrule" prove "$@" --no-cache --quiet --rocq "$folder" >/dev/null || [ $? = 1 ]
}
for game in cube_edge cube_vertex cube_rotation cube_face tetrahedron_edge \
    tetrahedron_vertex planar_edge planar_vertex nim; do
    write "../games/$game.nimrule"
done
for piles in 3 4 5; do
    write ../games/moore.nimrule --set "piles=$piles" --set k=2
done
for nk in "3 2" "4 1" "4 2" "4 3" "5 2" "5 3" "5 4" "6 3" "6 5"; do
    read -r n k <<<"$nk"
    write ../games/circular_nim.nimrule --set "n=$n" --set "k=$k"
done

TIMEFORMAT=%U
table="| theorem | seconds of the processor |
| --- | --- |"
failed=0
for theorem in "$folder"/*.v; do
    name="$(basename "$theorem" .v)"
    { time timeout 600 coqc -w none -Q . Nimrule "$theorem" >"$folder/said" 2>&1; } \
        2>"$folder/took" || true
    says="$(cat "$folder/said")"
    if [ "$says" != "Closed under the global context" ]; then
        printf '%s is not accepted: %s\n' "$name" "$says" >&2
        failed=1
    fi
    table+="
| \`$name\` | $(cat "$folder/took") |"
done
printf '%s\n' "$table"
[ "$failed" = 0 ] || exit 1

if [ "${1:-}" = --times ]; then
    python3 - "$table" <<'PYTHON'
import re, sys
text = open("README.md").read()
times = "<!-- times -->\n" + sys.argv[1] + "\n<!-- end -->"
open("README.md", "w").write(re.sub(r"<!-- times -->.*<!-- end -->", lambda _: times, text, flags=re.S))
PYTHON
fi

# Of those that take a moment only.
mutated=()
for theorem in "$folder"/*.v; do
    case "$(basename "$theorem")" in
    circular_nim_n_6* | cube_rotation*) ;;
    *) mutated+=("$theorem") ;;
    esac
done
count="${!#}"
[[ "$count" =~ ^[0-9]+$ ]] || count=200
python3 mutations.py "$count" "${mutated[@]}" >"$folder/mutations.v"
timeout 3600 coqc -w none -Q . Nimrule "$folder/mutations.v"
echo "$count mutations are refused"
