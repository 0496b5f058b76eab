#!/usr/bin/env python3
"""Mutations of theorems, for Rocq to refuse.

usage: mutations.py COUNT THEOREM.v...

A mutation changes the rule or the closed form of a theorem in one place. Rocq evaluates
the test of each; here the changed claim is compared, from the definition, with the outcomes of
all positions of a small box. A mutation that is false of a position must be refused. One that
Rocq accepts is a theorem itself, and must be true of the box. One that is refused and is true of
the box is named, because nothing here tells whether the test was right.
"""
import itertools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent


def read(path):
    text = open(path).read()
    moves = re.search(r"Definition moves : rule :=\s*(.*?)\.\n\n", text, re.S)[1]
    claim = re.search(r"Definition closed_form : claim :=\s*(.*?)\.\n\n", text, re.S)[1]
    test = re.search(r"Lemma test : (proves\w* \d+.*?) moves", text)[1]
    sets = {
        "any_amount": r"\[([\d; ]*)\]()",
        "at_most_one": r"\[([\d; ]*)\]()",
        "while_empty": r"\(\[([\d; ]*)\], \[([\d; ]*)\]\)",
    }
    rule = [
        (amount, *([int(heap) for heap in re.findall(r"\d+", part)] for part in one))
        for amount, listed in re.findall(r"(any_amount|at_most_one|while_empty)\s+(\[.*?\])%nat", moves, re.S)
        for one in re.findall(sets[amount], listed)
    ]
    return test, rule, parsed(iter(re.findall(r"[()]|[^\s()]+", claim)))


def parsed(words):
    """A term as a nested list; the words are consumed."""
    word = next(words)
    if word != "(":
        return word
    found = []
    while True:
        part = parsed(words)
        if part == ")":
            return found[0] if len(found) == 1 else found
        found.append(part)


def number(word):
    return int(re.fullmatch(r"(-?\d+)(%N)?", word)[1])


def size(p, heap):
    return p[heap] if heap < len(p) else 0


def value(term, p):
    head, *rest = term
    if head == "Heap":
        return size(p, number(rest[0]))
    if head == "Const":
        return number(rest[0])
    if head == "Mul":
        return number(rest[0]) * value(rest[1], p)
    if head == "Rem":
        left, modulus = value(rest[0], p), number(rest[1])
        return left % modulus if modulus else left
    left, right = (value(part, p) for part in rest)
    return {"Add": left + right, "Sub": left - right, "Min": min(left, right),
            "Max": max(left, right), "Xor": left ^ right}[head]


def holds(claim, p):
    if claim == "Yes":
        return True
    head, *rest = claim
    if head == "Same":
        return size(p, number(rest[0])) == size(p, number(rest[1]))
    if head == "Is":
        return size(p, number(rest[0])) == number(rest[1])
    if head in ("Eq", "Le", "Lt"):
        left, right = (value(part, p) for part in rest)
        return {"Eq": left == right, "Le": left <= right, "Lt": left < right}[head]
    if head == "NoCarry":
        first, modulus = map(number, rest)
        return all(sum(a >> j & 1 for a in p[:first]) % modulus == 0 for j in range(8))
    if head == "Not":
        return not holds(rest[0], p)
    return {"And": all, "Or": any}[head](holds(part, p) for part in rest)


def is_false(test, rule, claim):
    """Whether the claim differs in the box from the P-positions, or from those of the sum with a
    Nim heap that holds the Grundy value."""
    kind, heaps, *convention = test.split()
    heaps = int(heaps)
    if kind == "proves_values":
        rule = rule + [("any_amount", [heaps], [])]
        heaps += 1
    p_positions = set()
    box = {6: 2, 5: 3, 4: 5}.get(heaps, 2 if heaps > 6 else 9)
    for p in sorted(itertools.product(range(box + 1), repeat=heaps), key=sum):
        options = {
            q
            for amount, one, empty in rule
            if not any(size(p, heap) for heap in empty)
            for q in itertools.product(*(
                range(max(0, a - 1) if amount == "at_most_one" else 0, a + 1) if i in one else (a,)
                for i, a in enumerate(p)
            ))
            if q != p
        }
        is_p = bool(options) if convention == ["true"] else True
        is_p = is_p and not options & p_positions
        if is_p:
            p_positions.add(p)
        if is_p != holds(claim, p):
            return True
    return False


def places(term, path=()):
    if isinstance(term, list):
        for index, part in enumerate(term):
            yield from places(part, path + (index,))
    else:
        yield path, term


def replaced(term, path, word):
    if not path:
        return word
    return [replaced(part, path[1:], word) if index == path[0] else part for index, part in enumerate(term)]


AMOUNTS = ["any_amount", "at_most_one"]
SWAPS = [("And", "Or"), ("Eq", "Le", "Lt"), ("Min", "Max", "Add", "Sub"), ("Xor", "Add", "Max")]


def mutated(test, rule, claim):
    """The rule and the claim, one of them changed in one place."""
    if random.random() < 0.4:
        heaps = int(test.split()[1])
        rule = list(rule)
        one = random.randrange(len(rule))
        amount, chosen, empty = rule[one]
        match random.randrange(5):
            case 0:
                del rule[one]
            case 1:
                rule[one] = amount, sorted(set(chosen) ^ {random.randrange(heaps)}), empty
            case 2:
                rule.append((amount, sorted(random.sample(range(heaps), random.randint(1, heaps))), empty))
            case 3 if amount == "while_empty":
                rule[one] = amount, chosen, sorted(set(empty) ^ {random.randrange(heaps)})
            case _ if amount != "while_empty":
                rule[one] = AMOUNTS[1 - AMOUNTS.index(amount)], chosen, empty
        return rule, claim
    path, word = random.choice(list(places(claim)))
    if re.fullmatch(r"-?\d+(%N)?", word):
        other = str(max(0, number(word) + random.choice((-1, 1)))) + ("%N" if "%N" in word else "")
    else:
        others = [other for swap in SWAPS if word in swap for other in swap if other != word]
        other = random.choice(others or [word])
    return rule, replaced(claim, path, other)


def written(term):
    if isinstance(term, list):
        return "(" + " ".join(map(written, term)) + ")"
    return f"({term})" if term[0] == "-" else term


def accepted(mutation):
    """Whether the test accepts a mutation."""
    test, rule, claim = mutation
    moves = []
    for amount, *sets in rule:
        one, empty = ("[" + "; ".join(map(str, heaps)) + "]" for heaps in sets)
        moves.append(f"{amount} [{f'({one}, {empty})' if amount == 'while_empty' else one}]%nat")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "mutation.v")
        file.write_text("From Nimrule Require Import All.\nLocal Open Scope Z_scope.\n"
                        f"Eval vm_compute in {test} ({' ++ '.join(moves) or '[]'}) {written(claim)}.\n")
        said = subprocess.run(["coqc", "-w", "none", "-Q", HERE, "Nimrule", file],
                              capture_output=True, text=True, timeout=600)
    return {"true": True, "false": False}[re.search(r"= (\w+)\s*: bool", said.stdout)[1]]


def main():
    random.seed(1)
    wanted, theorems = int(sys.argv[1]), [read(path) for path in sys.argv[2:]]
    mutations = {}
    while len(mutations) < wanted:
        test, rule, claim = random.choice(theorems)
        other_rule, other = mutated(test, rule, claim)
        if (other_rule, other) != (rule, claim):
            mutations[repr((test, other_rule, other))] = (test, other_rule, other)
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        verdicts = list(pool.map(accepted, mutations.values()))
    refused, true, wrong, unknown = 0, 0, 0, 0
    for mutation, verdict in zip(mutations.values(), verdicts):
        false = is_false(*mutation)
        refused += false and not verdict
        true += verdict and not false
        if verdict == false:
            wrong += verdict
            unknown += not verdict
            print("accepted, but false:" if verdict else "refused, but true of the box:", *mutation)
    print(f"{wanted} mutations: {refused} are false of a position and refused, {true} are true of the box "
          f"and accepted, {unknown} are true of the box and refused, {wrong} are false and accepted")
    sys.exit(1 if wrong else 0)


main()
