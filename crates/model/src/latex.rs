//! Text and tables in LaTeX documents.

/// Text with the signs escaped that LaTeX reads otherwise. A letter for which pdfLaTeX has
/// no sign without further packages becomes its code point, `[U+5806]`.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '`' => escaped.push_str("\\textasciigrave{}"),
            '|' => escaped.push_str("\\textbar{}"),
            // Two hyphens would be a dash.
            '-' if escaped.ends_with('-') => escaped.push_str("{}-"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '<' | '>' => escaped.push_str(&format!("${letter}$")),
            '\u{20}'..'\u{7f}' | '\n' | '\u{c0}'..='\u{17f}' => escaped.push(letter),
            other => match SIGNS.iter().find(|(sign, _)| *sign == other) {
                Some((_, command)) => escaped.push_str(command),
                None => escaped.push_str(&format!("[U+{:04X}]", u32::from(other))),
            },
        }
    }
    escaped
}

/// Prose in which code is in backticks: the text escaped, the code in typewriter type.
pub fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without its partner is no code.
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let parts = parts.iter().enumerate();
    let parts = parts.map(|(place, part)| match place % 2 {
        0 => escaped(part),
        _ => format!("\\texttt{{{}}}", escaped(part)),
    });
    parts.collect()
}

/// A `tabular` with a head, for the package `booktabs`. `spec` has a letter or a `p{…}` for
/// each column; the cells are LaTeX already.
pub fn tabular(spec: &str, head: &[String], rows: &[Vec<String>]) -> String {
    let mut written = opening(spec, head);
    for cells in rows {
        written.push_str(&row(cells));
    }
    written + CLOSING
}

/// The beginning of a [`tabular`], for tables that are written row by row.
pub fn opening(spec: &str, head: &[String]) -> String {
    format!(
        "\\begin{{tabular}}{{{spec}}}\n\\toprule\n{}\\midrule\n",
        row(head)
    )
}

/// A row of a [`tabular`].
pub fn row(cells: &[String]) -> String {
    let cells = cells.join(" & ");
    // The end of the row before takes an option in brackets, and a star.
    let before = match cells.starts_with(['[', '*']) {
        true => "{}",
        false => "",
    };
    format!("{before}{cells} \\\\\n")
}

/// The end of a [`tabular`].
pub const CLOSING: &str = "\\bottomrule\n\\end{tabular}\n";

/// Signs outside of the Latin alphabet, with their commands in text mode.
const SIGNS: &[(char, &str)] = &[
    ('\t', " "),
    ('\u{a0}', "~"),
    ('§', "\\S{}"),
    ('°', "$^\\circ$"),
    ('±', "$\\pm$"),
    ('²', "$^2$"),
    ('³', "$^3$"),
    ('¹', "$^1$"),
    ('·', "$\\cdot$"),
    ('½', "$\\frac12$"),
    ('×', "$\\times$"),
    ('÷', "$\\div$"),
    ('¬', "$\\lnot$"),
    ('ș', "\\textcommabelow{s}"),
    ('ț', "\\textcommabelow{t}"),
    ('α', "$\\alpha$"),
    ('β', "$\\beta$"),
    ('γ', "$\\gamma$"),
    ('δ', "$\\delta$"),
    ('ε', "$\\varepsilon$"),
    ('θ', "$\\theta$"),
    ('λ', "$\\lambda$"),
    ('μ', "$\\mu$"),
    ('π', "$\\pi$"),
    ('σ', "$\\sigma$"),
    ('τ', "$\\tau$"),
    ('φ', "$\\varphi$"),
    ('ω', "$\\omega$"),
    ('Δ', "$\\Delta$"),
    ('Σ', "$\\Sigma$"),
    ('Φ', "$\\Phi$"),
    ('Ω', "$\\Omega$"),
    ('–', "--"),
    ('—', "---"),
    ('‘', "`"),
    ('’', "'"),
    ('“', "``"),
    ('”', "''"),
    ('…', "\\ldots{}"),
    ('₀', "$_0$"),
    ('₁', "$_1$"),
    ('₂', "$_2$"),
    ('ₙ', "$_n$"),
    ('ₖ', "$_k$"),
    ('→', "$\\to$"),
    ('↔', "$\\leftrightarrow$"),
    ('⇒', "$\\Rightarrow$"),
    ('⇔', "$\\Leftrightarrow$"),
    ('∀', "$\\forall$"),
    ('∃', "$\\exists$"),
    ('∅', "$\\emptyset$"),
    ('∈', "$\\in$"),
    ('∉', "$\\notin$"),
    ('−', "$-$"),
    ('√', "$\\surd$"),
    ('∞', "$\\infty$"),
    ('∧', "$\\land$"),
    ('∨', "$\\lor$"),
    ('∩', "$\\cap$"),
    ('∪', "$\\cup$"),
    ('≠', "$\\ne$"),
    ('≡', "$\\equiv$"),
    ('≤', "$\\le$"),
    ('≥', "$\\ge$"),
    ('⊂', "$\\subset$"),
    ('⊆', "$\\subseteq$"),
    ('⊕', "$\\oplus$"),
    ('⌊', "$\\lfloor$"),
    ('⌋', "$\\rfloor$"),
];
