#!/usr/bin/env bash
# Compiles the theory; a file is compiled again if it, or one before it, is newer than what was
# compiled from it.
set -euo pipefail
cd "$(dirname "$0")"
before=_CoqProject
while IFS= read -r file; do
    case "$file" in *.v) ;; *) continue ;; esac
    if [ ! "${file}o" -nt "$file" ] || [ "$before" -nt "${file}o" ]; then
        timeout 600 coqc -w none -Q . Nimrule "$file"
    fi
    before="${file}o"
done <_CoqProject
