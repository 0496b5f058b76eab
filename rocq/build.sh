#!/usr/bin/env bash
# Compiles the theory; files that are newer than what they depend on are compiled again.
set -euo pipefail
cd "$(dirname "$0")"
newest=0
while IFS= read -r file; do
    case "$file" in *.v) ;; *) continue ;; esac
    if [ "$newest" = 1 ] || [ ! "${file}o" -nt "$file" ]; then
        timeout 600 coqc -w none -Q . Nimrule "$file"
        newest=1
    fi
done <_CoqProject
