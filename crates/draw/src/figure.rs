//! Figures: shapes and labels at points without a unit, and their SVG.

use super::planar::from_segment;
use super::{Area, HeapLabel, Picture};
use svg::Document;
use svg::node::element::{Circle, Description, Element, Group, Line, Polygon, Rectangle, Title};
use svg::node::{Node as _, Text};

/// A point of the plane; `y` grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
}

impl Point {
    /// The origin.
    pub const ZERO: Point = Point { x: 0.0, y: 0.0 };

    /// The mean of some points; the origin if there are none.
    pub fn mean(points: &[Point]) -> Point {
        let count = points.len().max(1) as f64;
        Point {
            x: points.iter().map(|p| p.x).sum::<f64>() / count,
            y: points.iter().map(|p| p.y).sum::<f64>() / count,
        }
    }

    /// The distance to another point.
    pub fn distance(self, other: Point) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// How a text stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Centred.
    Middle,
    /// To the right of the point.
    Start,
}

/// The look of a text or a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// What the picture is about: sizes.
    Strong,
    /// Names and remarks.
    Faint,
    /// What a move changes.
    Changed,
    /// A face at the front.
    Front,
    /// A face at the back.
    Back,
    /// A face without a heap.
    Plain,
}

const INK: &str = "#1d2a36";
const FAINT: &str = "#51606f";
const ACCENT: &str = "#c2410c";
const LINE: &str = "#3b4a5a";

impl Tone {
    fn fill(self) -> &'static str {
        match self {
            Tone::Strong => INK,
            Tone::Faint => FAINT,
            Tone::Changed => ACCENT,
            Tone::Front => "#fdeccb",
            Tone::Back => "#e2ecf5",
            Tone::Plain => "#f4f6f8",
        }
    }
}

/// A heap drawn as a column of tokens above its name and size.
#[derive(Debug, Clone)]
pub struct Column {
    name: String,
    size: String,
    /// The tokens that are drawn, and how many of them, at the top, are taken; `None` if
    /// there are too many to draw.
    tokens: Option<(u64, u64)>,
    tone: Tone,
}

/// The largest number of tokens of a column.
const TOKENS: u64 = 15;
const TOKEN_HEIGHT: f64 = 15.0;

impl Column {
    pub(crate) fn of(heap: &HeapLabel) -> Column {
        let (size, tone) = size_words(heap);
        let (before, after) = heap.size.unwrap_or((0, None));
        let most = before.max(after.unwrap_or(0));
        let taken = match after {
            // All tokens of a new heap are marked.
            Some(after) if before == 0 => after,
            Some(after) => before.saturating_sub(after),
            None => 0,
        };
        let tokens = if heap.is_state {
            Some((0, 0))
        } else {
            (most <= TOKENS).then_some((if before == 0 { most } else { before }, taken))
        };
        Column {
            name: heap.name.clone(),
            size,
            tokens,
            tone,
        }
    }

    /// The height in pixels, without name and size.
    pub(crate) fn height(&self) -> f64 {
        self.tokens
            .map_or(TOKEN_HEIGHT, |(tokens, _)| tokens as f64 * TOKEN_HEIGHT)
    }
}

/// The size of a heap as text, and whether it changes.
pub(crate) fn size_words(heap: &HeapLabel) -> (String, Tone) {
    match heap.size {
        None => (String::new(), Tone::Strong),
        Some((before, None)) => (before.to_string(), Tone::Strong),
        Some((0, Some(new))) if heap.is_multiset => (format!("+{new}"), Tone::Changed),
        Some((gone, Some(_))) if heap.is_multiset => (format!("−{gone}"), Tone::Changed),
        Some((before, Some(after))) => (format!("{before} → {after}"), Tone::Changed),
    }
}

enum Shape {
    Polygon(Vec<Point>, Tone),
    Line(Point, Point, LineKind),
    /// A disc of a radius in pixels, of the group of a cell.
    Disc(Point, f64, &'static str, Tone, usize),
}

/// The look of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// An edge of the board.
    Edge,
    /// An edge that is hidden, or of less importance.
    Light,
    /// An arc: an arrow to the second point.
    Arrow,
}

struct Label {
    at: Point,
    /// The offset of the centre in pixels.
    offset: Point,
    anchor: Anchor,
    words: String,
    tone: Tone,
    size: f64,
    /// Whether it keeps other labels away: names and sizes of one cell do as one.
    group: usize,
}

/// Shapes and labels at points without a unit.
#[derive(Default)]
pub struct Figure {
    shapes: Vec<Shape>,
    labels: Vec<Label>,
    columns: Vec<(Point, Column, f64)>,
    groups: usize,
    /// The smallest number of pixels of a unit at which labels fit into their polygons.
    least_unit: f64,
    /// Rows of columns: the coordinate of each, and its height in pixels.
    pub(crate) rows: Vec<(f64, f64)>,
}

const NAME_SIZE: f64 = 15.0;
const SIZE_SIZE: f64 = 21.0;
const MARGIN: f64 = 24.0;
const PAD: f64 = 8.0;
/// The smallest number of pixels of a unit, in which neighbours are about 1 apart.
const SMALLEST_UNIT: f64 = 58.0;
const LARGEST_UNIT: f64 = 2000.0;

/// The estimated width of a text in pixels.
fn width_of(words: &str, size: f64) -> f64 {
    let wide = words.chars().map(|letter| match letter {
        'i' | 'l' | 'I' | '.' | ',' | '\'' | '|' | ':' => 0.36,
        'm' | 'w' | 'M' | 'W' | '→' => 0.95,
        letter if letter.is_ascii() => 0.6,
        _ => 1.0,
    });
    wide.sum::<f64>() * size
}

impl Figure {
    /// Whether nothing is drawn yet.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.labels.is_empty() && self.columns.is_empty()
    }

    /// The largest vertical coordinate.
    pub fn lowest(&self) -> Option<f64> {
        let points = self.points();
        points.iter().map(|point| point.y).reduce(f64::max)
    }

    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for shape in &self.shapes {
            match shape {
                Shape::Polygon(corners, _) => points.extend(corners),
                Shape::Line(from, to, _) => points.extend([*from, *to]),
                Shape::Disc(at, ..) => points.push(*at),
            }
        }
        points.extend(self.labels.iter().map(|label| label.at));
        points.extend(self.columns.iter().map(|column| column.0));
        points
    }

    /// Adds a polygon.
    pub fn polygon(&mut self, corners: Vec<Point>, tone: Tone) {
        self.shapes.push(Shape::Polygon(corners, tone));
    }

    /// Adds a line.
    pub fn line(&mut self, from: Point, to: Point, kind: LineKind) {
        self.shapes.push(Shape::Line(from, to, kind));
    }

    /// Adds a disc with a radius in pixels.
    pub fn disc(&mut self, at: Point, radius: f64, fill: &'static str, outline: Tone) {
        let group = self.groups;
        self.shapes
            .push(Shape::Disc(at, radius, fill, outline, group));
    }

    /// Adds a text on one line.
    pub fn label(&mut self, at: Point, anchor: Anchor, words: &str, tone: Tone) {
        self.label_beside(at, Point::ZERO, anchor, words, tone);
    }

    /// Adds a text on one line, so many pixels from a point.
    pub fn label_beside(
        &mut self,
        at: Point,
        pixels: Point,
        anchor: Anchor,
        words: &str,
        tone: Tone,
    ) {
        self.groups += 1;
        self.text(at, pixels, anchor, words, tone, NAME_SIZE);
    }

    fn text(
        &mut self,
        at: Point,
        offset: Point,
        anchor: Anchor,
        words: &str,
        tone: Tone,
        size: f64,
    ) {
        self.labels.push(Label {
            at,
            offset,
            anchor,
            words: words.to_owned(),
            tone,
            size,
            group: self.groups,
        });
    }

    /// Adds the name of a heap, and below it its size, if it has one.
    pub(crate) fn heap(&mut self, at: Point, heap: &HeapLabel) {
        self.heap_beside(at, 0.0, heap);
    }

    /// Adds the name and size of a heap, so many pixels below a point.
    pub(crate) fn heap_beside(&mut self, at: Point, down: f64, heap: &HeapLabel) {
        self.groups += 1;
        let (size, tone) = size_words(heap);
        if size.is_empty() {
            let middle = Point { x: 0.0, y: down };
            self.text(
                at,
                middle,
                Anchor::Middle,
                &heap.name,
                Tone::Faint,
                NAME_SIZE,
            );
            return;
        }
        let above = Point {
            x: 0.0,
            y: down - 13.0,
        };
        let below = Point {
            x: 0.0,
            y: down + 8.0,
        };
        self.text(
            at,
            above,
            Anchor::Middle,
            &heap.name,
            Tone::Faint,
            NAME_SIZE,
        );
        self.text(at, below, Anchor::Middle, &size, tone, SIZE_SIZE);
    }

    /// Adds the name and size of a heap at a point inside a polygon.
    pub(crate) fn heap_in(&mut self, at: Point, corners: &[Point], heap: &HeapLabel) {
        self.heap(at, heap);
        let group = self.groups;
        let boxes = self.labels.iter().filter(|label| label.group == group);
        let boxes: Vec<Area> = boxes.map(|label| area(label, Point::ZERO)).collect();
        let next = corners.iter().cycle().skip(1);
        for (a, b) in corners.iter().zip(next) {
            let length = a.distance(*b).max(1e-9);
            let normal = Point {
                x: (b.y - a.y) / length,
                y: (a.x - b.x) / length,
            };
            let from = (at.x - a.x) * normal.x + (at.y - a.y) * normal.y;
            let normal = if from > 0.0 {
                Point {
                    x: -normal.x,
                    y: -normal.y,
                }
            } else {
                normal
            };
            // How far the labels reach towards this side, in pixels.
            let reach = boxes
                .iter()
                .flat_map(|area| {
                    [area.left, area.left + area.width].map(|x| {
                        [area.top, area.top + area.height].map(|y| x * normal.x + y * normal.y)
                    })
                })
                .flatten()
                .fold(0.0, f64::max);
            let by_line = (reach + 3.0) / from.abs().max(0.02);
            // Where the polygon is not convex, the line of a side may come nearer.
            let corner = boxes.iter().map(|area| {
                let x = area.left.abs().max((area.left + area.width).abs());
                x.hypot(area.top.abs().max((area.top + area.height).abs()))
            });
            let by_side = corner.fold(0.0, f64::max) / from_segment(at, *a, *b).max(0.02);
            self.least_unit = self.least_unit.max(by_line.min(by_side));
        }
    }

    /// Adds a heap as a disc with its name and size.
    pub(crate) fn token(&mut self, at: Point, heap: &HeapLabel) {
        const SMALL: f64 = 12.0;
        let (size, tone) = size_words(heap);
        let outline = if tone == Tone::Changed {
            tone
        } else {
            Tone::Faint
        };
        let width = width_of(&size, SIZE_SIZE).max(width_of(&heap.name, SMALL));
        let radius = (width / 2.0 + 7.0).max(if size.is_empty() { 15.0 } else { 21.0 });
        self.groups += 1;
        let is_piece = heap.is_coin && heap.size.is_some_and(|(before, _)| before == 1);
        self.disc(
            at,
            radius,
            if is_piece { "#f7cf6b" } else { "#ffffff" },
            outline,
        );
        if size.is_empty() {
            self.text(
                at,
                Point::ZERO,
                Anchor::Middle,
                &heap.name,
                Tone::Faint,
                NAME_SIZE,
            );
            return;
        }
        let (above, below) = (Point { x: 0.0, y: -12.0 }, Point { x: 0.0, y: 6.0 });
        self.text(at, above, Anchor::Middle, &heap.name, Tone::Faint, SMALL);
        self.text(at, below, Anchor::Middle, &size, tone, SIZE_SIZE);
    }

    /// Adds a column that stands on a row of this height in pixels.
    pub(crate) fn column(&mut self, at: Point, column: Column, height: f64) {
        self.groups += 1;
        let below = |y| Point {
            x: 0.0,
            y: height + y,
        };
        let (name, size, tone) = (column.name.clone(), column.size.clone(), column.tone);
        if !size.is_empty() {
            self.text(at, below(16.0), Anchor::Middle, &size, tone, SIZE_SIZE);
        }
        if !name.is_empty() {
            self.text(
                at,
                below(38.0),
                Anchor::Middle,
                &name,
                Tone::Faint,
                NAME_SIZE,
            );
        }
        self.columns.push((at, column, height));
    }

    /// The number of pixels of a unit at which labels of different cells do not meet.
    fn unit(&self) -> f64 {
        let mut unit = SMALLEST_UNIT.max(self.least_unit);
        // What may not meet: labels and discs, each with the point it belongs to.
        let labels = self.labels.iter();
        let mut boxes: Vec<(Point, Area, usize)> = labels
            .map(|label| (label.at, area(label, Point::ZERO), label.group))
            .collect();
        for shape in &self.shapes {
            if let Shape::Disc(at, radius, _, _, group) = shape {
                boxes.push((*at, around(Point::ZERO, *radius), *group));
            }
        }
        for (place, (one, a, group)) in boxes.iter().enumerate() {
            for (other, b, other_group) in &boxes[place + 1..] {
                let apart = (one.x - other.x).abs().max((one.y - other.y).abs());
                if group == other_group || apart < 1e-6 {
                    continue;
                }
                // The unit at which the boxes meet no more, in each direction.
                let needed =
                    |gap: f64, (low_a, size_a): (f64, f64), (low_b, size_b): (f64, f64)| {
                        let needed = if gap > 0.0 {
                            low_a + size_a - low_b + PAD
                        } else {
                            low_b + size_b - low_a + PAD
                        };
                        if needed <= 0.0 {
                            0.0
                        } else {
                            needed / gap.abs().max(1e-9)
                        }
                    };
                let across = needed(other.x - one.x, (a.left, a.width), (b.left, b.width));
                let down = needed(other.y - one.y, (a.top, a.height), (b.top, b.height));
                unit = unit.max(across.min(down));
            }
        }
        // Rows of columns are one unit apart.
        for (_, height) in &self.rows {
            if self.rows.len() > 1 {
                unit = unit.max(height + 70.0);
            }
        }
        unit.min(LARGEST_UNIT)
    }

    /// The picture, with its title and its text alternative.
    pub fn drawn(&self, title: &str, description: &str) -> Picture {
        let unit = self.unit();
        let placed = |point: Point| Point {
            x: point.x * unit,
            y: point.y * unit,
        };
        // The content in pixels, from which the frame follows.
        let mut labels: Vec<(String, Area)> = self
            .labels
            .iter()
            .map(|label| (label.words.clone(), area(label, placed(label.at))))
            .collect();
        let mut bounds: Vec<Area> = labels.iter().map(|(_, area)| *area).collect();
        for point in self.points() {
            let Point { x, y } = placed(point);
            bounds.push(Area {
                left: x - 4.0,
                top: y - 4.0,
                width: 8.0,
                height: 8.0,
            });
        }
        for shape in &self.shapes {
            if let Shape::Disc(at, radius, ..) = shape {
                bounds.push(around(placed(*at), *radius));
            }
        }
        for (at, _, height) in &self.columns {
            let Point { x, y } = placed(*at);
            bounds.push(Area {
                left: x - 12.0,
                top: y - 8.0,
                width: 24.0,
                height: height + 8.0,
            });
        }
        let left = bounds.iter().map(|b| b.left).fold(f64::INFINITY, f64::min);
        let top = bounds.iter().map(|b| b.top).fold(f64::INFINITY, f64::min);
        let right = bounds
            .iter()
            .map(|b| b.left + b.width)
            .fold(f64::NEG_INFINITY, f64::max);
        let bottom = bounds
            .iter()
            .map(|b| b.top + b.height)
            .fold(f64::NEG_INFINITY, f64::max);
        const TITLE_SIZE: f64 = 17.0;
        let heading = width_of(title, TITLE_SIZE);
        let content = (right - left).max(heading);
        let (width, height) = (content + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN + 34.0);
        let shift = Point {
            x: MARGIN - left + (content - (right - left)) / 2.0,
            y: MARGIN - top + 34.0,
        };
        let at = |point: Point| {
            let Point { x, y } = placed(point);
            Point {
                x: x + shift.x,
                y: y + shift.y,
            }
        };
        let mut group = Group::new().set("font-family", "Georgia, 'Times New Roman', serif");
        for shape in &self.shapes {
            group = group.add(drawn_shape(shape, &at));
        }
        for (place, column, height) in &self.columns {
            for token in tokens(at(*place), column, *height) {
                group = group.add(token);
            }
        }
        for (label, (_, area)) in self.labels.iter().zip(&mut labels) {
            area.left += shift.x;
            area.top += shift.y;
            let Point { x, y } = at(label.at);
            let middle = Point {
                x: x + label.offset.x,
                y: y + label.offset.y,
            };
            group = group.add(text_element(
                &label.words,
                middle,
                label.anchor,
                label.tone,
                label.size,
            ));
        }
        let title_at = Point {
            x: width / 2.0,
            y: MARGIN + 4.0,
        };
        let mut whole = text_element(title, title_at, Anchor::Middle, Tone::Faint, TITLE_SIZE);
        whole.assign("font-style", "normal");
        labels.push((
            title.to_owned(),
            Area {
                left: (width - heading) / 2.0,
                top: MARGIN - 8.0,
                width: heading,
                height: TITLE_SIZE + 4.0,
            },
        ));
        let document = Document::new()
            .set(
                "viewBox",
                format!("0 0 {} {}", number(width), number(height)),
            )
            .set("width", number(width))
            .set("height", number(height))
            .set("role", "img")
            .set("aria-labelledby", "title desc")
            .add(Title::new(title).set("id", "title"))
            .add(
                Description::new()
                    .set("id", "desc")
                    .add(Text::new(description)),
            )
            .add(
                Rectangle::new()
                    .set("x", 1)
                    .set("y", 1)
                    .set("width", number(width - 2.0))
                    .set("height", number(height - 2.0))
                    .set("rx", 14)
                    .set("fill", "#ffffff")
                    .set("stroke", "#d8dee4"),
            )
            .add(group.add(whole));
        Picture {
            svg: format!("{document}\n"),
            frame: Area {
                left: 0.0,
                top: 0.0,
                width,
                height,
            },
            labels,
        }
    }
}

/// A coordinate with one decimal, so that pictures do not depend on the last bits.
fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // There is no negative zero in a picture.
    format!("{:.1}", rounded + 0.0)
}

fn around(at: Point, radius: f64) -> Area {
    Area {
        left: at.x - radius,
        top: at.y - radius,
        width: 2.0 * radius,
        height: 2.0 * radius,
    }
}

fn area(label: &Label, at: Point) -> Area {
    let width = width_of(&label.words, label.size);
    let left = match label.anchor {
        Anchor::Middle => at.x + label.offset.x - width / 2.0,
        Anchor::Start => at.x + label.offset.x,
    };
    Area {
        left,
        top: at.y + label.offset.y - label.size * 0.5,
        width,
        height: label.size,
    }
}

fn text_element(words: &str, at: Point, anchor: Anchor, tone: Tone, size: f64) -> Element {
    let mut text = Element::new("text");
    text.assign("x", number(at.x));
    // The baseline, so that the letters stand around the centre in every viewer.
    text.assign("y", number(at.y + size * 0.34));
    text.assign("font-size", number(size));
    text.assign("fill", tone.fill());
    if anchor == Anchor::Middle {
        text.assign("text-anchor", "middle");
    }
    match tone {
        Tone::Faint => text.assign("font-style", "italic"),
        _ => text.assign("font-weight", "bold"),
    }
    text.append(Text::new(words));
    text
}

fn drawn_shape(shape: &Shape, at: &dyn Fn(Point) -> Point) -> Element {
    match shape {
        Shape::Polygon(corners, tone) => {
            let corners: Vec<String> = corners
                .iter()
                .map(|corner| {
                    let Point { x, y } = at(*corner);
                    format!("{},{}", number(x), number(y))
                })
                .collect();
            Polygon::new()
                .set("points", corners.join(" "))
                .set("fill", tone.fill())
                .set("stroke", LINE)
                .set("stroke-width", 1.6)
                .set("stroke-linejoin", "round")
                .into()
        }
        Shape::Line(from, to, kind) => {
            let (from, to) = (at(*from), at(*to));
            if *kind == LineKind::Arrow {
                return arrow(from, to);
            }
            let (colour, width) = match kind {
                LineKind::Light => ("#c3ccd5", 1.2),
                _ => (LINE, 1.8),
            };
            line(from, to)
                .set("stroke", colour)
                .set("stroke-width", width)
                .into()
        }
        Shape::Disc(centre, radius, fill, outline, _) => {
            let Point { x, y } = at(*centre);
            let width = if *outline == Tone::Changed { 3.0 } else { 1.6 };
            Circle::new()
                .set("cx", number(x))
                .set("cy", number(y))
                .set("r", number(*radius))
                .set("fill", *fill)
                .set("stroke", outline.fill())
                .set("stroke-width", width)
                .into()
        }
    }
}

fn line(from: Point, to: Point) -> Line {
    Line::new()
        .set("x1", number(from.x))
        .set("y1", number(from.y))
        .set("x2", number(to.x))
        .set("y2", number(to.y))
}

/// A line with a head, both ends short of the discs that it joins.
fn arrow(from: Point, to: Point) -> Element {
    const DISC: f64 = 19.0;
    const HEAD: f64 = 9.0;
    let length = from.distance(to).max(1.0);
    let (x, y) = ((to.x - from.x) / length, (to.y - from.y) / length);
    let along = |point: Point, by: f64| Point {
        x: point.x + x * by,
        y: point.y + y * by,
    };
    let (start, tip) = (along(from, DISC), along(to, -DISC));
    let neck = along(tip, -HEAD);
    let corner = |side: f64| Point {
        x: neck.x - y * side,
        y: neck.y + x * side,
    };
    let corners: Vec<String> = [tip, corner(4.0), corner(-4.0)]
        .iter()
        .map(|corner| format!("{},{}", number(corner.x), number(corner.y)))
        .collect();
    Group::new()
        .add(
            line(start, neck)
                .set("stroke", "#8795a3")
                .set("stroke-width", 1.3),
        )
        .add(
            Polygon::new()
                .set("points", corners.join(" "))
                .set("fill", "#8795a3"),
        )
        .into()
}

/// The tokens of a column, from below; those that are taken are hollow.
fn tokens(at: Point, column: &Column, height: f64) -> Vec<Element> {
    let Some((tokens, taken)) = column.tokens else {
        // A heap of many tokens is a block.
        return vec![
            Rectangle::new()
                .set("x", number(at.x - 11.0))
                .set("y", number(at.y))
                .set("width", 22)
                .set("height", number(height.max(TOKEN_HEIGHT) - 2.0))
                .set("rx", 6)
                .set("fill", "#f2b84b")
                .set("stroke", LINE)
                .into(),
        ];
    };
    (0..tokens)
        .map(|place| {
            let is_taken = place >= tokens - taken;
            let disc = Circle::new()
                .set("cx", number(at.x))
                .set(
                    "cy",
                    number(at.y + height - (place as f64 + 0.5) * TOKEN_HEIGHT),
                )
                .set("r", 6.5);
            if is_taken {
                disc.set("fill", "#ffffff")
                    .set("stroke", ACCENT)
                    .set("stroke-width", 2)
            } else {
                disc.set("fill", "#f2b84b")
                    .set("stroke", LINE)
                    .set("stroke-width", 1)
            }
            .into()
        })
        .collect()
}
