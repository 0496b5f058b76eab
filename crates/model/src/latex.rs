//! Text in LaTeX documents.

/// Text with the signs escaped that LaTeX reads otherwise.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '≠' => escaped.push_str("$\\ne$"),
            '≤' => escaped.push_str("$\\le$"),
            '≥' => escaped.push_str("$\\ge$"),
            '⊕' => escaped.push_str("$\\oplus$"),
            '×' => escaped.push_str("$\\times$"),
            '…' => escaped.push_str("\\ldots{}"),
            '<' | '>' => {
                escaped.push('$');
                escaped.push(letter);
                escaped.push('$');
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn signs_are_escaped() {
        assert_eq!(escaped("a_1 ≠ {50 %}"), "a\\_1 $\\ne$ \\{50 \\%\\}");
    }
}
