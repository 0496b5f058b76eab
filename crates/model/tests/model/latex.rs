//! Signs, code and tables as LaTeX.

use nimrule_model::latex::{escaped, prose, tabular};

#[test]
fn signs_are_escaped() {
    assert_eq!(escaped("a_1 ≠ {50 %}"), "a\\_1 $\\ne$ \\{50 \\%\\}");
    assert_eq!(
        escaped("--max | Müller, 堆"),
        "-{}-max \\textbar{} Müller, [U+5806]"
    );
}

#[test]
fn code_is_in_typewriter_type() {
    assert_eq!(
        prose("the claim `P iff a_1 == 0`"),
        "the claim \\texttt{P iff a\\_1 == 0}"
    );
    assert_eq!(prose("one ` alone"), "one \\textasciigrave{} alone");
}

#[test]
fn tables_have_a_head() {
    let words = |words: [&str; 2]| words.map(str::to_owned).to_vec();
    assert_eq!(
        tabular("rr", &words(["a", "b"]), &[words(["0", "1"])]),
        "\\begin{tabular}{rr}\n\\toprule\na & b \\\\\n\\midrule\n0 & 1 \\\\\n\\bottomrule\n\
         \\end{tabular}\n"
    );
}
