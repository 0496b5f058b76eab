//! The canvas: shapes and labels in picture units, which become an SVG document.
//!
//! The canvas records the extent of everything on it, so that the frame of the document
//! contains it, and the boxes of its labels, so that tests can compare them. A box is
//! estimated from the widths of the letters of a wide sans-serif font; other fonts need
//! less room.

use crate::Picture;
use crate::shape::{Paint, Shape, round};
use svg::Node as _;
use svg::node::element::{Description, Group, Rectangle, Title};

/// A point: x to the right, y down.
pub type Point = (f64, f64);

/// The colour of text and outlines.
pub const INK: &str = "#1d2a36";
/// The colour of what matters less.
pub const FAINT: &str = "#51606f";
/// The colour of thin lines.
pub const LINE: &str = "#8796a5";
/// The colour of what a move changes. What it marks is also marked by shape.
pub const ACCENT: &str = "#c2410c";
/// The fill of what a move changes.
pub const ACCENT_FILL: &str = "#ffe8d6";
/// The fill of cells.
pub const CELL: &str = "#eef4fa";
/// The fill of tokens.
pub const TOKEN: &str = "#f2b84b";
/// The background.
pub const PAPER: &str = "#ffffff";

/// The box of a label: what it says, and its extent in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelBox {
    /// The text.
    pub text: String,
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The right edge.
    pub right: f64,
    /// The lower edge.
    pub bottom: f64,
}

impl LabelBox {
    /// Whether two boxes have inner points in common, apart from errors of rounding.
    pub fn overlaps(&self, other: &LabelBox) -> bool {
        const NOTHING: f64 = 1e-6;
        self.left + NOTHING < other.right
            && other.left + NOTHING < self.right
            && self.top + NOTHING < other.bottom
            && other.top + NOTHING < self.bottom
    }
}

/// What of a position is drawn at a place of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The number of the position with this index: a heap, a token, a state, or a member of
    /// a multiset.
    Number(usize),
    /// The vertex on which a token with this number is.
    Vertex(u64),
    /// The cells of a plot, whose columns and rows are equally wide.
    Cells,
}

/// Where a part of a position is in the document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartBox {
    /// The part.
    pub part: Part,
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The right edge.
    pub right: f64,
    /// The lower edge.
    pub bottom: f64,
}

/// The font of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Font {
    /// The size in picture units.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Whether it is italic.
    pub italic: bool,
}

impl Font {
    /// A plain font.
    pub const fn plain(size: f64) -> Font {
        Font {
            size,
            bold: false,
            italic: false,
        }
    }

    /// A bold font.
    pub const fn bold(size: f64) -> Font {
        Font {
            bold: true,
            ..Font::plain(size)
        }
    }

    /// An italic font.
    pub const fn italic(size: f64) -> Font {
        Font {
            italic: true,
            ..Font::plain(size)
        }
    }

    /// The estimated width of a text.
    pub fn width(self, text: &str) -> f64 {
        let letters: f64 = text.chars().map(letter_width).sum();
        letters * self.size * if self.bold { 1.1 } else { 1.0 }
    }

    /// The height of a line.
    pub fn height(self) -> f64 {
        self.size * 1.2
    }
}

/// The width of a letter in a font of size 1.
fn letter_width(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.36,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | 'I' | '-' | '/' => 0.43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        'A'..='Z' => 0.74,
        '→' | '=' | '≠' | '+' | '<' | '>' | '⊕' | '∈' => 0.86,
        _ if letter.is_ascii() => 0.65,
        _ if (letter as u32) < 0x2000 => 0.75,
        _ => 1.05,
    }
}

/// Where a text is, in relation to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text has the point in its middle.
    Middle,
}

/// How a shape is outlined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// The colour.
    pub colour: &'static str,
    /// The width of the line.
    pub width: f64,
    /// Whether the line is dashed.
    pub dashed: bool,
}

impl Stroke {
    /// A solid line.
    pub const fn solid(colour: &'static str, width: f64) -> Stroke {
        Stroke {
            colour,
            width,
            dashed: false,
        }
    }

    /// A dashed line.
    pub const fn dashed(colour: &'static str, width: f64) -> Stroke {
        Stroke {
            colour,
            width,
            dashed: true,
        }
    }
}

/// A picture in the making.
#[derive(Debug, Clone)]
pub struct Canvas {
    shapes: Vec<Shape>,
    labels: Vec<LabelBox>,
    parts: Vec<PartBox>,
    low: Point,
    high: Point,
}

impl Default for Canvas {
    fn default() -> Canvas {
        Canvas {
            shapes: Vec::new(),
            labels: Vec::new(),
            parts: Vec::new(),
            low: (f64::INFINITY, f64::INFINITY),
            high: (f64::NEG_INFINITY, f64::NEG_INFINITY),
        }
    }
}

impl Canvas {
    /// The right and lower end of what is drawn, (0, 0) if nothing is.
    pub fn high(&self) -> Point {
        if self.high.0.is_finite() {
            self.high
        } else {
            (0.0, 0.0)
        }
    }

    /// The left and upper end of what is drawn, (0, 0) if nothing is.
    pub fn low(&self) -> Point {
        if self.low.0.is_finite() {
            self.low
        } else {
            (0.0, 0.0)
        }
    }

    fn cover(&mut self, (x, y): Point, margin: f64) {
        self.low = (self.low.0.min(x - margin), self.low.1.min(y - margin));
        self.high = (self.high.0.max(x + margin), self.high.1.max(y + margin));
    }

    /// Draws a polygon.
    pub fn polygon(&mut self, points: &[Point], fill: &str, stroke: Stroke) {
        for point in points {
            self.cover(*point, stroke.width / 2.0);
        }
        let shape = Shape::Polygon(points.to_vec(), paint(fill, stroke));
        self.shapes.push(shape);
    }

    /// Draws a line.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.cover(from, stroke.width);
        self.cover(to, stroke.width);
        self.shapes
            .push(Shape::Line(from, to, paint("none", stroke)));
    }

    /// Draws a circle.
    pub fn circle(&mut self, centre: Point, radius: f64, fill: &str, stroke: Stroke) {
        self.cover(centre, radius + stroke.width / 2.0);
        let shape = Shape::Circle(centre, radius, paint(fill, stroke));
        self.shapes.push(shape);
    }

    /// Draws a rectangle with round corners around a point.
    pub fn plate(
        &mut self,
        (x, y): Point,
        (width, height): Point,
        corner: f64,
        fill: &str,
        stroke: Stroke,
    ) {
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        self.cover((left, top), stroke.width / 2.0);
        self.cover((left + width, top + height), stroke.width / 2.0);
        let paint = paint(fill, stroke);
        let shape = Shape::Plate((left, top), (width, height), corner, paint);
        self.shapes.push(shape);
    }

    /// Draws a cubic Bézier curve; its control points count as drawn.
    pub fn curve(&mut self, points: [Point; 4], stroke: Stroke) {
        for point in points {
            self.cover(point, stroke.width);
        }
        self.shapes
            .push(Shape::Curve(points, paint("none", stroke)));
    }

    /// Draws the head of an arrow that arrives at a point from a direction. A shape of
    /// its own: viewers differ in their markers.
    pub fn arrow_head(&mut self, tip: Point, from: Point, size: f64, colour: &'static str) {
        let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
        let length = dx.hypot(dy);
        if length == 0.0 {
            return;
        }
        let (dx, dy) = (dx / length * size, dy / length * size);
        let back = (tip.0 - dx, tip.1 - dy);
        self.polygon(
            &[
                tip,
                (back.0 - dy * 0.45, back.1 + dx * 0.45),
                (back.0 + dy * 0.45, back.1 - dx * 0.45),
            ],
            colour,
            Stroke::solid(colour, 1.0),
        );
    }

    /// Draws a straight arrow.
    pub fn arrow(&mut self, from: Point, to: Point, stroke: Stroke) {
        let size = 6.0 + stroke.width * 1.5;
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1e-9);
        let part = (1.0 - size * 0.8 / length).max(0.0);
        let end = (
            from.0 + (to.0 - from.0) * part,
            from.1 + (to.1 - from.1) * part,
        );
        self.line(from, end, stroke);
        self.arrow_head(to, from, size, stroke.colour);
    }

    /// Says that a part of the position is drawn around a point; what is said of one part
    /// several times adds up to one box.
    pub fn mark(&mut self, part: Part, (x, y): Point, (width, height): Point) {
        let new = PartBox {
            part,
            left: x - width / 2.0,
            top: y - height / 2.0,
            right: x + width / 2.0,
            bottom: y + height / 2.0,
        };
        match self.parts.iter_mut().find(|marked| marked.part == part) {
            Some(marked) => {
                marked.left = marked.left.min(new.left);
                marked.top = marked.top.min(new.top);
                marked.right = marked.right.max(new.right);
                marked.bottom = marked.bottom.max(new.bottom);
            }
            None => self.parts.push(new),
        }
    }

    /// Writes a text whose middle line is at the height of the point.
    pub fn text(&mut self, at: Point, text: &str, font: Font, anchor: Anchor, colour: &str) {
        if text.is_empty() {
            return;
        }
        let width = font.width(text);
        let left = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - width / 2.0,
        };
        let label = LabelBox {
            text: text.to_owned(),
            left,
            top: at.1 - font.height() / 2.0,
            right: left + width,
            bottom: at.1 + font.height() / 2.0,
        };
        self.cover((label.left, label.top), 0.0);
        self.cover((label.right, label.bottom), 0.0);
        self.labels.push(label);
        self.shapes.push(Shape::Text {
            at,
            text: text.to_owned(),
            font,
            anchor,
            colour: colour.to_owned(),
        });
    }

    /// The document: a heading, lines below it, and what is drawn; `description` is the
    /// text alternative.
    pub fn finish(mut self, title: &str, lines: &[String], description: &str) -> Picture {
        const MARGIN: f64 = 18.0;
        let (heading, small) = (Font::bold(15.0), Font::plain(13.0));
        let (low, high) = (self.low(), self.high());
        let body = self.shapes.clone();
        let room = (high.0 - low.0).max(340.0);
        let mut above: Vec<(String, Font)> = Vec::new();
        for line in wrapped(title, heading, room) {
            above.push((line, heading));
        }
        for line in lines {
            for line in wrapped(line, small, room) {
                above.push((line, small));
            }
        }
        let height: f64 = above.iter().map(|(_, font)| font.height() + 3.0).sum();
        let mut y = low.1 - height - 14.0;
        // A picture narrower than its heading stands in the middle below it.
        let widest = above
            .iter()
            .map(|(line, font)| font.width(line))
            .fold(0.0, f64::max);
        let left = low.0 - ((widest - (high.0 - low.0)) / 2.0).max(0.0);
        for (line, font) in above {
            y += font.height() + 3.0;
            let colour = if font.bold { INK } else { FAINT };
            let middle = y - font.height() / 2.0 - 3.0;
            self.text((left, middle), &line, font, Anchor::Start, colour);
        }
        let (x0, y0) = (self.low.0 - MARGIN, self.low.1 - MARGIN);
        let (width, height) = (
            (self.high.0 - x0 + MARGIN).ceil(),
            (self.high.1 - y0 + MARGIN).ceil(),
        );
        let background = Rectangle::new()
            .set("x", round(x0 + 1.0))
            .set("y", round(y0 + 1.0))
            .set("width", round(width - 2.0))
            .set("height", round(height - 2.0))
            .set("rx", 12)
            .set("fill", PAPER)
            .set("stroke", "#d8dee4");
        let mut shapes = Group::new();
        for shape in &self.shapes {
            shapes.append(shape.svg());
        }
        let document = svg::Document::new()
            .set("viewBox", (round(x0), round(y0), width, height))
            .set("width", width)
            .set("height", height)
            .set("role", "img")
            .set("aria-labelledby", "title description")
            .set("font-family", "sans-serif")
            .add(Title::new(title).set("id", "title"))
            .add(
                Description::new()
                    .set("id", "description")
                    .add(svg::node::Text::new(description)),
            )
            .add(background)
            .add(shapes);
        for label in &mut self.labels {
            label.left -= x0;
            label.right -= x0;
            label.top -= y0;
            label.bottom -= y0;
        }
        for part in &mut self.parts {
            part.left -= x0;
            part.right -= x0;
            part.top -= y0;
            part.bottom -= y0;
        }
        self.parts.sort_by_key(|marked| marked.part);
        Picture {
            svg: format!("{document}\n"),
            labels: self.labels,
            parts: self.parts,
            shapes: body,
            extent: (high.0 - low.0, high.1 - low.1),
            width,
            height,
        }
    }
}

/// Breaks a text into lines of at most a width, at blanks and after commas.
pub fn wrapped(text: &str, font: Font, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let pieces = text
        .split_inclusive([' ', ','])
        .flat_map(|piece| chunks(piece, font, width));
    for piece in pieces {
        let Some(line) = lines.last_mut() else {
            continue;
        };
        let joined = format!("{line}{piece}");
        if line.is_empty() || font.width(joined.trim_end()) <= width {
            *line = joined;
        } else {
            lines.push(piece);
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// A word in pieces of at most a width.
fn chunks(word: &str, font: Font, width: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        if let Some(piece) = pieces.last_mut() {
            if !piece.is_empty() && font.width(piece) + font.width("m") > width {
                pieces.push(letter.to_string());
            } else {
                piece.push(letter);
            }
        }
    }
    pieces
}

fn paint(fill: &str, stroke: Stroke) -> Paint {
    Paint {
        fill: fill.to_owned(),
        stroke,
    }
}
