//! Parts of pages of HTML.

/// An SVG document as an element of a page: without its declaration, and with names of its own
/// for its title and description.
pub fn inline(svg: &str, number: usize) -> String {
    let svg = svg.find("<svg").map_or(svg, |start| &svg[start..]);
    let names = format!("title-{number} description-{number}");
    svg.replace("\"title description\"", &format!("\"{names}\""))
        .replace("id=\"title\"", &format!("id=\"title-{number}\""))
        .replace(
            "id=\"description\"",
            &format!("id=\"description-{number}\""),
        )
}

/// A text within HTML.
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}
