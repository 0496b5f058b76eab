//! Plots: outcomes and Grundy values of two heaps, and sequences of values.

use crate::{Part, PartBox, Picture};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;
use thiserror::Error;

/// A plot that could not be drawn, with the reason that the drawing library gives.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the plot cannot be drawn: {0}")]
pub struct PlotError(String);

impl PlotError {
    fn of(error: &dyn Error) -> PlotError {
        PlotError(error.to_string())
    }
}

const INK: RGBColor = RGBColor(29, 42, 54);
const PAPER: RGBColor = WHITE;

/// The colour of an outcome class.
fn outcome_colour(letter: char) -> RGBColor {
    match letter {
        'P' => RGBColor(29, 42, 54),
        'N' => RGBColor(232, 239, 246),
        'L' => RGBColor(120, 170, 225),
        'R' => RGBColor(240, 160, 110),
        _ => RGBColor(190, 200, 150),
    }
}

/// A colour for a part of a scale from 0 to 1, from dark blue to yellow, which readers
/// with colour blindness and printers in grey can order (Viridis).
fn scale_colour(part: f64) -> RGBColor {
    const STOPS: [(u8, u8, u8); 6] = [
        (68, 1, 84),
        (65, 68, 135),
        (42, 120, 142),
        (34, 168, 132),
        (122, 209, 81),
        (253, 231, 37),
    ];
    let place = part.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let low = (place as usize).min(STOPS.len() - 2);
    let rest = place - low as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * rest).round() as u8;
    let (a, b) = (STOPS[low], STOPS[low + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// The height of a title, by its lines.
const LINE: u32 = 22;

/// A plot of outcome classes; `rows[y][x]` is the letter of a position's class, or
/// nothing where there is no position. Axes are given by what is counted on them, from 0: the
/// horizontal one and, if `rows` is more than one row, the vertical one.
///
/// # Errors
///
/// If the drawing library fails.
pub fn outcomes(
    title: &str,
    axes: &[&str],
    rows: &[Vec<Option<char>>],
) -> Result<Picture, PlotError> {
    let mut classes: Vec<char> = Vec::new();
    for letter in ['P', 'N', 'L', 'R', 'D'] {
        if rows.iter().flatten().any(|cell| *cell == Some(letter)) {
            classes.push(letter);
        }
    }
    let count = |letter: char| {
        rows.iter()
            .flatten()
            .filter(|cell| **cell == Some(letter))
            .count()
    };
    let counted: Vec<String> = classes
        .iter()
        .map(|letter| format!("{} {letter}-positions", count(*letter)))
        .collect();
    let words = format!(
        "{title}: outcome classes by {}; {}.",
        by(axes),
        counted.join(", ")
    );
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let side = widest.max(rows.len());
    let letters = side <= 26;
    document(title, &words, frame(widest, rows.len(), 70), |area| {
        let (plot, legend) = area.split_horizontally(area.dim_in_pixel().0 as i32 - 70);
        let at = cells(
            &plot,
            axes,
            rows,
            &|letter: &char| outcome_colour(*letter),
            &|letter| {
                let dark = *letter == 'P';
                letters.then(|| (letter.to_string(), if dark { PAPER } else { INK }))
            },
        )?;
        for (number, letter) in classes.iter().enumerate() {
            let y = 20 + 26 * number as i32;
            let colour = outcome_colour(*letter);
            legend.draw(&Rectangle::new([(6, y), (24, y + 18)], colour.filled()))?;
            legend.draw(&Rectangle::new([(6, y), (24, y + 18)], INK.stroke_width(1)))?;
            let style = text(15).pos(Pos::new(HPos::Left, VPos::Center));
            legend.draw(&Text::new(letter.to_string(), (32, y + 9), style))?;
        }
        Ok(at)
    })
}

/// A plot of values; `rows[y][x]` is a value, or nothing where there is no position. Values of
/// two heaps are colours, with their scale; those of one heap are points over its size.
///
/// # Errors
///
/// If the drawing library fails.
pub fn values(title: &str, axes: &[&str], rows: &[Vec<Option<u64>>]) -> Result<Picture, PlotError> {
    if let [axis] = axes {
        return sequence(title, axis, rows.first().map_or(&[], Vec::as_slice));
    }
    let most = rows.iter().flatten().flatten().copied().max().unwrap_or(0);
    let words = format!(
        "{title}: Grundy values by {}, from 0 to {most}; P-positions have value 0.",
        by(axes)
    );
    let part = |value: u64| value as f64 / most.max(1) as f64;
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let numbers = widest.max(rows.len()) <= 17;
    document(title, &words, frame(widest, rows.len(), 80), |area| {
        let (plot, legend) = area.split_horizontally(area.dim_in_pixel().0 as i32 - 80);
        let at = cells(
            &plot,
            axes,
            rows,
            &|value: &u64| scale_colour(part(*value)),
            &|value| {
                let colour = if part(*value) > 0.6 { INK } else { PAPER };
                numbers.then(|| (value.to_string(), colour))
            },
        )?;
        let height = legend.dim_in_pixel().1 as i32;
        let (top, bottom) = (20, (height - 60).max(60));
        const STEPS: i32 = 64;
        for step in 0..STEPS {
            let y = |step: i32| bottom - (bottom - top) * step / STEPS;
            let colour = scale_colour(f64::from(step) / f64::from(STEPS - 1));
            legend.draw(&Rectangle::new(
                [(6, y(step + 1)), (24, y(step))],
                colour.filled(),
            ))?;
        }
        legend.draw(&Rectangle::new(
            [(6, top), (24, bottom)],
            INK.stroke_width(1),
        ))?;
        let mut marks: Vec<u64> = (0..=4).map(|mark| most * mark / 4).collect();
        marks.dedup();
        for value in marks {
            let y = bottom - (f64::from(bottom - top) * part(value)).round() as i32;
            let style = text(13).pos(Pos::new(HPos::Left, VPos::Center));
            legend.draw(&Text::new(value.to_string(), (30, y), style))?;
        }
        Ok(at)
    })
}

/// A plot of a sequence of values over the size of a heap.
///
/// # Errors
///
/// If the drawing library fails.
pub fn sequence(title: &str, axis: &str, values: &[Option<u64>]) -> Result<Picture, PlotError> {
    let most = values.iter().flatten().copied().max().unwrap_or(0);
    let words = format!(
        "{title}: Grundy values of one heap, {axis} from 0 to {}; the largest is {most}.",
        values.len() as i64 - 1
    );
    let width = (140 + 6 * values.len() as u32).clamp(480, 1100);
    document(title, &words, (width, 340), |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .x_label_area_size(42)
            .y_label_area_size(52)
            .build_cartesian_2d(-1.0..values.len() as f64, -0.4..most as f64 + 0.8)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(RGBColor(255, 255, 255))
            .bold_line_style(RGBColor(225, 230, 236))
            .x_desc(axis)
            .y_desc("Grundy value")
            .axis_desc_style(text(14))
            .label_style(text(12))
            .y_labels((most as usize + 1).min(12))
            .x_label_formatter(&whole)
            .y_label_formatter(&whole)
            .draw()?;
        let points = || {
            values
                .iter()
                .enumerate()
                .filter_map(|(n, value)| Some((n as f64, (*value)? as f64)))
        };
        chart.draw_series(
            points()
                .map(|(x, y)| PathElement::new(vec![(x, 0.0), (x, y)], RGBColor(190, 205, 220))),
        )?;
        chart.draw_series(
            points().map(|point| Circle::new(point, 3, RGBColor(194, 65, 12).filled())),
        )?;
        // Half a size is left free on both sides.
        let (across, up) = chart.plotting_area().get_pixel_range();
        let half = (across.end - across.start) / (2 * (values.len() as i32 + 1));
        Ok((across.start + half..across.end - half, up))
    })
}

/// Whole numbers without a point, nothing for others.
fn whole(value: &f64) -> String {
    if (value - value.round()).abs() < 1e-6 {
        format!("{value:.0}")
    } else {
        String::new()
    }
}

/// The width and height for cells that are squares, with a legend of some width.
fn frame(columns: usize, rows: usize, legend: u32) -> (u32, u32) {
    let side = (420 / columns.max(rows).max(1) as u32).clamp(3, 36);
    (
        (columns as u32 * side + 74 + legend).max(300),
        (rows as u32 * side + 66).max(170),
    )
}

fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Where the cells are, in pixels: from left to right and from the upper to the lower edge.
type Cells = (Range<i32>, Range<i32>);

/// The axes in words.
fn by(axes: &[&str]) -> String {
    match axes {
        [across, up] => format!("{across} (horizontal) and {up} (vertical)"),
        _ => axes.concat(),
    }
}

/// Draws a square for each cell and, if given, a text in it.
fn cells<T: PartialEq>(
    area: &Area<'_>,
    axes: &[&str],
    rows: &[Vec<Option<T>>],
    colour: &dyn Fn(&T) -> RGBColor,
    label: &dyn Fn(&T) -> Option<(String, RGBColor)>,
) -> Result<Cells, Box<dyn Error>> {
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let range = |count: usize| -0.5..count as f64 - 0.5;
    let name = |axis: usize| axes.get(axis).copied().unwrap_or_default();
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(range(widest), range(rows.len()))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(name(0))
        .y_desc(name(1))
        .axis_desc_style(text(14))
        .label_style(text(12))
        .x_labels(widest.clamp(1, 14))
        .y_labels(rows.len().clamp(1, 14))
        .x_label_formatter(&whole)
        .y_label_formatter(&whole)
        .draw()?;
    let placed = || {
        rows.iter().enumerate().flat_map(|(y, row)| {
            row.iter()
                .enumerate()
                .filter_map(move |(x, cell)| Some(((x as f64, y as f64), cell.as_ref()?)))
        })
    };
    // Equal cells side by side are one rectangle.
    for (y, row) in rows.iter().enumerate() {
        let mut x = 0;
        while x < row.len() {
            let run = row[x..].iter().take_while(|cell| **cell == row[x]).count();
            if let Some(cell) = &row[x] {
                let (left, low) = (x as f64 - 0.5, y as f64 - 0.5);
                let corners = [(left, low), (left + run as f64, low + 1.0)];
                chart.draw_series([Rectangle::new(corners, colour(cell).filled())])?;
            }
            x += run;
        }
    }
    chart.draw_series(placed().filter_map(|(at, cell)| {
        let (words, colour) = label(cell)?;
        let style = ("sans-serif", 12)
            .into_font()
            .color(&colour)
            .pos(Pos::new(HPos::Center, VPos::Center));
        Some(Text::new(words, at, style))
    }))?;
    Ok(chart.plotting_area().get_pixel_range())
}

/// A document with a title and a description, and what `draw` draws below the title.
fn document(
    title: &str,
    description: &str,
    (width, height): (u32, u32),
    draw: impl Fn(&Area<'_>) -> Result<Cells, Box<dyn Error>>,
) -> Result<Picture, PlotError> {
    let font = crate::canvas::Font::bold(15.0);
    let lines = crate::canvas::wrapped(title, font, f64::from(width) - 36.0);
    let head = LINE * lines.len() as u32 + 12;
    let size = (width + 16, height + head + 8);
    let mut svg = String::new();
    let (across, up) = {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = (|| -> Result<Cells, Box<dyn Error>> {
            root.fill(&PAPER)?;
            for (number, line) in lines.iter().enumerate() {
                let style = ("sans-serif", 16, FontStyle::Bold).into_font().color(&INK);
                root.draw(&Text::new(
                    line.clone(),
                    (18, 12 + (LINE * number as u32) as i32),
                    style,
                ))?;
            }
            let (_, below) = root.split_vertically(head as i32);
            let at = draw(&below)?;
            root.present()?;
            Ok(at)
        })();
        drawn.map_err(|error| PlotError::of(error.as_ref()))?
    };
    Ok(Picture {
        parts: vec![PartBox {
            part: Part::Cells,
            left: f64::from(across.start),
            top: f64::from(up.start),
            right: f64::from(across.end),
            bottom: f64::from(up.end),
        }],
        svg: named(&svg, title, description),
        labels: Vec::new(),
        shapes: Vec::new(),
        extent: (0.0, 0.0),
        width: f64::from(size.0),
        height: f64::from(size.1),
    })
}

/// Adds title, description and role to a document of the drawing library.
fn named(svg: &str, title: &str, description: &str) -> String {
    let escaped = |words: &str| {
        words
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let Some((head, body)) = svg.split_once('>') else {
        return svg.to_owned();
    };
    format!(
        "{head} role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">{}</title>\n\
         <desc id=\"description\">{}</desc>{body}",
        escaped(title),
        escaped(description)
    )
}
