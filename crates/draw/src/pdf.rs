//! Pages of text and pictures as PDF, by `krilla`.

use super::png::{self, PngError};
use krilla::geom::{Size, Transform};
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::usvg::{self, fontdb};
use std::sync::Arc;
use thiserror::Error;

/// Why there is no PDF.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PdfError {
    /// No font is installed.
    #[error("no font was found on this system; install a sans-serif font")]
    NoFont,
    /// A picture is not valid SVG.
    #[error("the picture is not valid: {0}")]
    Invalid(String),
    /// The document cannot be written.
    #[error("the PDF cannot be written: {0}")]
    Failed(String),
}

impl From<PngError> for PdfError {
    fn from(error: PngError) -> PdfError {
        match error {
            PngError::NoFont => PdfError::NoFont,
            other => PdfError::Invalid(other.to_string()),
        }
    }
}

/// The width and the height of a page, A4, in the units of a picture: 96 for an inch.
pub const PAGE: (f32, f32) = (793.7, 1122.5);

/// Points for each unit of a picture: a point is the unit of PDF, 72 for an inch.
const POINTS: f32 = 0.75;

/// A picture on a page.
#[derive(Debug, Clone)]
pub struct Placed {
    tree: usvg::Tree,
    /// The place of its upper left corner, from the left and from the top of the page.
    pub at: (f32, f32),
    /// The factor by which it is drawn.
    pub scale: f32,
}

impl Placed {
    /// The width and the height on the page.
    pub fn size(&self) -> (f32, f32) {
        let size = self.tree.size();
        (size.width() * self.scale, size.height() * self.scale)
    }
}

/// The fonts of this system, with which text is measured and drawn.
#[derive(Debug, Clone)]
pub struct Fonts(Arc<fontdb::Database>);

impl Fonts {
    /// Reads the fonts that are installed.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn installed() -> Result<Fonts, PdfError> {
        let fonts = png::fonts();
        if fonts.is_empty() {
            return Err(PdfError::NoFont);
        }
        Ok(Fonts(Arc::new(fonts)))
    }

    /// A picture at the corner of the page, in its own size.
    ///
    /// # Errors
    ///
    /// If it is not valid SVG.
    pub fn picture(&self, svg: &str) -> Result<Placed, PdfError> {
        Ok(Placed {
            tree: png::tree(svg, &self.0)?,
            at: (0.0, 0.0),
            scale: 1.0,
        })
    }

    /// The text in lines of at most this width, broken at spaces, as a picture. A word that is
    /// wider has a line of its own, which is drawn smaller. `size` is the height of the letters
    /// and `bold` their weight.
    ///
    /// # Errors
    ///
    /// As for [`Fonts::picture`].
    pub fn paragraph(
        &self,
        text: &str,
        size: f32,
        bold: bool,
        width: f32,
    ) -> Result<Vec<Placed>, PdfError> {
        let mut lines = Vec::new();
        let mut line = String::new();
        for word in text.split_whitespace() {
            let longer = match line.is_empty() {
                true => word.to_owned(),
                false => format!("{line} {word}"),
            };
            if !line.is_empty() && self.width(&longer, size, bold)? > width {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
        let placed = lines.iter().map(|line| {
            let needed = self.width(line, size, bold)?.max(1.0);
            let drawn = written(line, size, bold, needed.ceil());
            let mut placed = self.picture(&drawn)?;
            placed.scale = (width / needed).min(1.0);
            Ok(placed)
        });
        placed.collect()
    }

    /// The width of a line.
    fn width(&self, line: &str, size: f32, bold: bool) -> Result<f32, PdfError> {
        let tree = png::tree(&written(line, size, bold, 1.0), &self.0)?;
        let of = tree.root().children().first();
        // A text reaches from where it begins to where the next one would.
        Ok(of.map_or(0.0, |node| {
            let area = node.bounding_box();
            area.x() + area.width()
        }))
    }

    /// The document with these pages.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn document(&self, title: &str, pages: &[Vec<Placed>]) -> Result<Vec<u8>, PdfError> {
        let mut document = krilla::Document::new();
        document.set_metadata(Metadata::new().title(title.to_owned()));
        let failed = || PdfError::Failed("a size is not a positive number".to_owned());
        for drawings in pages {
            let size = PageSettings::from_wh(PAGE.0 * POINTS, PAGE.1 * POINTS);
            let mut page = document.start_page_with(size.ok_or_else(failed)?);
            let mut surface = page.surface();
            for placed in drawings {
                let (width, height) = placed.size();
                let size = Size::from_wh(width * POINTS, height * POINTS).ok_or_else(failed)?;
                let (x, y) = (placed.at.0 * POINTS, placed.at.1 * POINTS);
                surface.push_transform(&Transform::from_translate(x, y));
                let drawn = surface.draw_svg(&placed.tree, size, SvgSettings::default());
                surface.pop();
                drawn.ok_or_else(failed)?;
            }
            surface.finish();
            page.finish();
        }
        let finished = document.finish();
        finished.map_err(|error| PdfError::Failed(format!("{error:?}")))
    }
}

/// A line of text as SVG: its letters stand on a line that leaves room for those that reach
/// below it.
fn written(line: &str, size: f32, bold: bool, width: f32) -> String {
    let weight = if bold { "bold" } else { "normal" };
    let text = svg::node::element::Text::new(line)
        .set("x", 0)
        .set("y", size)
        .set("font-family", "sans-serif")
        .set("font-size", size)
        .set("font-weight", weight);
    svg::Document::new()
        .set("width", width)
        .set("height", size * 1.4)
        .add(text)
        .to_string()
}
