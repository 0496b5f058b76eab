//! Places as editors count them.

use nimrule_editor::{Lines, Place};

#[test]
fn places_count_utf16_units() {
    let text = "a\n\u{1d538}b\n";
    let lines = Lines::new(text);
    let b = text.find('b').expect("it has one");
    assert_eq!(lines.place(text, b), Place { line: 1, column: 2 });
    for (offset, _) in text.char_indices() {
        assert_eq!(lines.offset(text, lines.place(text, offset)), offset);
    }
    let beyond = [(0, 9, 1), (1, 9, 7), (7, 0, 8)];
    for (line, column, offset) in beyond {
        assert_eq!(lines.offset(text, Place { line, column }), offset);
    }
}
