//! Expressions as LaTeX.

use nimrule_syntax::{expression_as_latex, parse_condition};

#[test]
fn expressions_keep_their_brackets() {
    let cases = [
        ("a - (b - c) == 0", "a - (b - c) = 0"),
        ("a - b - c == 0", "a - b - c = 0"),
        ("(a ^ b) + c == 0", "(a \\oplus b) + c = 0"),
        ("a ^ b + c != 0", "a \\oplus (b + c) \\ne 0"),
        (
            "(a == b or a == c) and b < c",
            "(a = b \\lor a = c) \\land b < c",
        ),
        ("not (a == b and b == c)", "\\lnot (a = b \\land b = c)"),
        (
            "(a + b) * c div 2 >= 1",
            "\\left\\lfloor \\frac{(a + b) \\cdot c}{2} \\right\\rfloor \\ge 1",
        ),
        ("2 ** (a + 1) == -b", "2^{a + 1} = -b"),
        ("xor(heaps) == 0", "\\bigoplus_i \\mathbf{p}_i = 0"),
        (
            "sum(x div 2 for x in heaps) == 1",
            "\\sum_{x \\in \\mathbf{p}} \\left\\lfloor \\frac{x}{2} \\right\\rfloor = 1",
        ),
        (
            "count(x in heaps where x > 3) == 2",
            "\\#\\{x \\in \\mathbf{p} : x > 3\\} = 2",
        ),
        (
            "(exists x in 1..9: x == a) or b == 1",
            "(\\exists x \\in \\{1, \\ldots, 9\\} : x = a) \\lor b = 1",
        ),
        (
            "h1 == pile[2] + long_name",
            "h_1 = \\mathit{pile}_{2} + \\mathit{long\\_name}",
        ),
        (
            "sum(x mod 2 for x in heaps) == (sum(x for x in heaps)) mod 2",
            "\\sum_{x \\in \\mathbf{p}} (x \\bmod 2) = (\\sum_{x \\in \\mathbf{p}} x) \\bmod 2",
        ),
        (
            "n in powers(n) and n in n..",
            "n \\in \\{n^0, n^1, n^2, \\ldots\\} \\land n \\in \\mathbb{Z}_{\\ge n}",
        ),
        (
            "not a == b and (like (x, x) where x > a)",
            "\\lnot (a = b) \\land (\\mathbf{p} \\sim (x, x) \\text{ where } x > a)",
        ),
        ("like (a, b, a)", "\\mathbf{p} \\sim (a, b, a)"),
    ];
    for (text, wanted) in cases {
        let expr = parse_condition(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        assert_eq!(expression_as_latex(&expr), wanted, "{text}");
    }
}
