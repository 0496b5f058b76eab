//! Shapes: what a picture consists of, as SVG and as TikZ.

use crate::canvas::{Anchor, Font, Point, Stroke};
use nimrule_model::latex::escaped;
use std::fmt::Write as _;
use svg::Node;
use svg::node::element::path::Data;
use svg::node::element::{Circle, Line, Path, Polygon, Rectangle, Text};

/// A shape with its fill and outline, in picture units.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A closed polygon.
    Polygon(Vec<Point>, Paint),
    /// A straight line.
    Line(Point, Point, Paint),
    /// A circle by its centre and radius.
    Circle(Point, f64, Paint),
    /// A rectangle with round corners, by its left upper corner, its size and the radius of
    /// the corners.
    Plate(Point, Point, f64, Paint),
    /// A cubic Bézier curve by its ends and control points.
    Curve([Point; 4], Paint),
    /// A text whose middle line is at the height of the point.
    Text {
        /// The point.
        at: Point,
        /// The text.
        text: String,
        /// Its font.
        font: Font,
        /// Whether it begins at the point or has it in its middle.
        anchor: Anchor,
        /// Its colour, as `#rrggbb`.
        colour: String,
    },
}

/// The fill of a shape, `#rrggbb` or `none`, and its outline.
#[derive(Debug, Clone, PartialEq)]
pub struct Paint {
    /// The colour inside.
    pub fill: String,
    /// The outline.
    pub stroke: Stroke,
}

/// Sets fill and outline of an element.
macro_rules! styled {
    ($element:expr, $paint:expr) => {{
        let stroke = $paint.stroke;
        let element = $element
            .set("fill", $paint.fill.as_str())
            .set("stroke", stroke.colour)
            .set("stroke-width", round(stroke.width))
            .set("stroke-linejoin", "round")
            .set("stroke-linecap", "round");
        if stroke.dashed {
            Box::new(element.set("stroke-dasharray", "4 4"))
        } else {
            Box::new(element)
        }
    }};
}

impl Shape {
    /// The element of an SVG document.
    pub(crate) fn svg(&self) -> Box<dyn Node> {
        match self {
            Shape::Polygon(points, paint) => {
                let mut list = String::new();
                for &(x, y) in points {
                    // Writing to a string cannot fail.
                    let _ = write!(list, "{},{} ", round(x), round(y));
                }
                styled!(Polygon::new().set("points", list.trim_end()), paint)
            }
            Shape::Line(from, to, paint) => styled!(
                Line::new()
                    .set("x1", round(from.0))
                    .set("y1", round(from.1))
                    .set("x2", round(to.0))
                    .set("y2", round(to.1)),
                paint
            ),
            Shape::Circle(centre, radius, paint) => styled!(
                Circle::new()
                    .set("cx", round(centre.0))
                    .set("cy", round(centre.1))
                    .set("r", round(*radius)),
                paint
            ),
            Shape::Plate(corner, size, radius, paint) => styled!(
                Rectangle::new()
                    .set("x", round(corner.0))
                    .set("y", round(corner.1))
                    .set("width", round(size.0))
                    .set("height", round(size.1))
                    .set("rx", round(*radius)),
                paint
            ),
            Shape::Curve(points, paint) => {
                let [from, a, b, to] = points.map(|(x, y)| (round(x), round(y)));
                let data = Data::new()
                    .move_to(from)
                    .cubic_curve_to((a.0, a.1, b.0, b.1, to.0, to.1));
                styled!(Path::new().set("d", data), paint)
            }
            Shape::Text {
                at,
                text,
                font,
                anchor,
                colour,
            } => {
                let mut element = Text::new(text.as_str())
                    .set("x", round(at.0))
                    .set("y", round(at.1 + font.size * 0.36))
                    .set("font-size", round(font.size))
                    .set("fill", colour.as_str());
                if *anchor == Anchor::Middle {
                    element = element.set("text-anchor", "middle");
                }
                if font.bold {
                    element = element.set("font-weight", "bold");
                }
                if font.italic {
                    element = element.set("font-style", "italic");
                }
                Box::new(element)
            }
        }
    }

    /// The command of TikZ, where the unit of x is one picture unit to the right, and that
    /// of y one downwards. `scale` is the length of a unit in points.
    fn tikz(&self, scale: f64) -> String {
        let at = |(x, y): Point| format!("({},{})", round(x), round(y));
        match self {
            Shape::Polygon(points, paint) => {
                let points: Vec<String> = points.iter().map(|point| at(*point)).collect();
                format!("{} {} -- cycle;", paint.tikz(scale), points.join(" -- "))
            }
            Shape::Line(from, to, paint) => {
                format!("{} {} -- {};", paint.tikz(scale), at(*from), at(*to))
            }
            Shape::Circle(centre, radius, paint) => {
                let (paint, radius) = (paint.tikz(scale), round(radius * scale));
                format!("{paint} {} circle[radius={radius}pt];", at(*centre))
            }
            Shape::Plate((x, y), (width, height), radius, paint) => {
                let paint = paint.tikz(scale);
                let radius = round(radius.min(width.min(*height) / 2.0) * scale);
                let (from, to) = (at((*x, *y)), at((x + width, y + height)));
                format!("{paint} {{[rounded corners={radius}pt] {from} rectangle {to}}};")
            }
            Shape::Curve([from, a, b, to], paint) => format!(
                "{} {} .. controls {} and {} .. {};",
                paint.tikz(scale),
                at(*from),
                at(*a),
                at(*b),
                at(*to)
            ),
            Shape::Text {
                at: place,
                text,
                font,
                anchor,
                colour,
            } => {
                // The document's font has ten points.
                let size = round(font.size * scale / 10.0);
                let anchor = match anchor {
                    Anchor::Start => "west",
                    Anchor::Middle => "center",
                };
                let mut words = escaped(text);
                if font.bold {
                    words = format!("\\textbf{{{words}}}");
                }
                if font.italic {
                    words = format!("\\textit{{{words}}}");
                }
                let colour = tikz_colour(colour);
                format!(
                    "\\node[anchor={anchor}, inner sep=0pt, scale={size}, text={colour}] at {} \
                     {{\\sffamily {words}}};",
                    at(*place)
                )
            }
        }
    }
}

impl Paint {
    fn tikz(&self, scale: f64) -> String {
        let mut options = vec![
            format!("draw={}", tikz_colour(self.stroke.colour)),
            format!("line width={}pt", round(self.stroke.width * scale)),
        ];
        if self.fill != "none" {
            options.insert(0, format!("fill={}", tikz_colour(&self.fill)));
        }
        if self.stroke.dashed {
            options.push("dashed".to_owned());
        }
        format!("\\path[{}]", options.join(", "))
    }
}

/// A colour `#rrggbb` as the package `xcolor` takes one in place; `none` as it is.
fn tikz_colour(colour: &str) -> String {
    let part = |from: usize| {
        let digits = colour.get(from..from + 2);
        digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
    };
    match (part(1), part(3), part(5)) {
        (Some(red), Some(green), Some(blue)) => {
            format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}")
        }
        _ => colour.to_owned(),
    }
}

/// Shapes as a `tikzpicture` at most this wide and high, in points. The document needs the
/// package `tikz`, and no library of it.
pub(crate) fn tikz(shapes: &[Shape], (width, height): Point, room: Point) -> String {
    // At most three quarters of a point for a unit: the size of a pixel.
    let scale = 0.75_f64
        .min(room.0 / width.max(1.0))
        .min(room.1 / height.max(1.0));
    let unit = (scale * 10_000.0).round() / 10_000.0;
    let mut picture = format!(
        "\\begin{{tikzpicture}}[x={unit}pt, y=-{unit}pt, line join=round, line cap=round]\n"
    );
    for shape in shapes {
        // Writing to a string cannot fail.
        let _ = writeln!(picture, "  {}", shape.tikz(scale));
    }
    picture + "\\end{tikzpicture}\n"
}

/// A coordinate with two digits after the point; −0 as 0.
pub(crate) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}
