#!/usr/bin/env bash
# Writes the theorems of games, has Rocq check each, and has it refuse mutations of them.
# usage: check.sh [--quick] [--times] [MUTATIONS]
# All theorems and 200 mutations take half an hour of one core. --quick leaves out the theorems that
# take longer than four seconds. With --times the table of times in README.md is written again.
# The program is taken from NIMRULE, by default `nimrule`, and JOBS theorems are checked at a time.
set -euo pipefail
cd "$(dirname "$0")"
export nimrule="${NIMRULE:-nimrule}"
quick='' times='' mutations=200
for option in "$@"; do
    case "$option" in
    --quick) quick=1 ;;
    --times) times=1 ;;
    *) mutations="$option" ;;
    esac
done
./build.sh
export folder
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

write() {
    "$nimrule" prove "$@" --no-cache --quiet --rocq "$folder" >/dev/null || [ $? = 1 ]
}
for game in cube_edge cube_vertex cube_rotation cube_face tetrahedron_edge \
    tetrahedron_vertex planar_edge planar_vertex nim cube_edge_slow cube_vertex_slow \
    cube_rotation_slow cube_face_slow; do
    write "../games/$game.nimrule"
done
write ../games/moore.nimrule --set piles=3 --set k=1
for piles in 3 4 5; do
    write ../games/moore.nimrule --set "piles=$piles" --set k=2
done
for nk in "3 2" "3 3" "4 1" "4 2" "4 3" "5 2" "5 3" "5 4" "6 3" "6 4" "6 5"; do
    read -r n k <<<"$nk"
    write ../games/circular_nim.nimrule --set "n=$n" --set "k=$k"
done
for nk in "3 2" "4 2" "4 3" "5 2" "5 3" "5 4"; do
    read -r n k <<<"$nk"
    write ../games/shrinking_circular_nim.nimrule --set "n=$n" --set "k=$k"
done
write ../games/trim.nimrule
write ../games/trim.nimrule --set piles=2
write ../games/rim.nimrule
write ../games/rim.nimrule --set k=3 --set piles=2
for heaps in 1 2 3 4; do
    python3 atlas.py "$nimrule" "$heaps" "$folder"
done
for game in "$folder"/*.nimrule; do
    write "$game"
done
[ -z "$quick" ] || rm "$folder"/circular_nim_n_{5_k_4,6_k_*}_*.v "$folder"/cube_rotation_*.v \
    "$folder"/shrinking_circular_nim_n_5_*.v "$folder"/cube_edge_slow_claim_2.v

check() {
    TIMEFORMAT=%U
    { time timeout 600 coqc -w none -Q . Nimrule "$1" >"$1.said" 2>&1; } 2>"$1.took" || true
    [ "$(cat "$1.said")" = "Closed under the global context" ] ||
        printf '%s is not accepted: %s\n' "$(basename "$1" .v)" "$(cat "$1.said")" >&2
}
export -f check
# shellcheck disable=SC2016
printf '%s\0' "$folder"/*.v | xargs -0 -n 1 -P "${JOBS:-1}" bash -c 'check "$1"' check
table="| theorem | seconds of the processor |
| --- | --- |"
for theorem in "$folder"/*.v; do
    [ "$(cat "$theorem.said")" = "Closed under the global context" ] || exit 1
    table+="
| \`$(basename "$theorem" .v)\` | $(cat "$theorem.took") |"
done
printf '%s\n' "$table"

if [ -n "$times" ]; then
    python3 - "$table" <<'PYTHON'
import re, sys
text = open("README.md").read()
times = "<!-- times -->\n" + sys.argv[1] + "\n<!-- end -->"
open("README.md", "w").write(re.sub(r"<!-- times -->.*<!-- end -->", lambda _: times, text, flags=re.S))
PYTHON
fi

# Of theorems that a test decides, in a moment.
mutated=()
for theorem in "$folder"/*.v; do
    case "$(basename "$theorem")" in
    circular_nim_n_6* | shrinking_circular_nim_n_5* | cube_rotation* | rim* | trim*) ;;
    *) mutated+=("$theorem") ;;
    esac
done
python3 mutations.py "$mutations" "${mutated[@]}"
