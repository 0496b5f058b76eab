//! Pictures as PNG, by `resvg`.

use resvg::{tiny_skia, usvg};
use std::sync::Arc;
use thiserror::Error;

/// Why a picture cannot be rasterised.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PngError {
    /// No font is installed, and the picture has text.
    #[error(
        "no font was found on this system, so the picture would have no text; install a sans-serif font, or write an .svg file"
    )]
    NoFont,
    /// The picture exceeds the largest number of pixels.
    #[error("the picture is too large for a PNG: {width} × {height} pixels; write an .svg file")]
    TooLarge {
        /// The width in pixels.
        width: u64,
        /// The height in pixels.
        height: u64,
    },
    /// The document is not valid SVG.
    #[error("the picture is not valid: {0}")]
    Invalid(String),
}

/// The largest width and height of a PNG.
const MAX_SIDE: f32 = 12_000.0;

/// Rasterises an SVG document at a scale: 2 gives two pixels for each unit.
///
/// # Errors
///
/// If there is no font for its text, if it is too large, or if it is no valid SVG.
pub fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    rasterised(svg, scale)?
        .encode_png()
        .map_err(|error| PngError::Invalid(error.to_string()))
}

/// A rasterised picture.
#[derive(Debug, Clone)]
pub struct Pixels {
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// Red, green, blue and opacity of each pixel, by rows.
    pub rgba: Vec<u8>,
}

/// The pixels of [`render`].
///
/// # Errors
///
/// As for [`render`].
pub fn pixels(svg: &str, scale: f32) -> Result<Pixels, PngError> {
    let pixels = rasterised(svg, scale)?;
    let colours = pixels.pixels().iter().map(|pixel| pixel.demultiply());
    Ok(Pixels {
        width: pixels.width() as usize,
        height: pixels.height() as usize,
        rgba: colours
            .flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()])
            .collect(),
    })
}

/// The fonts that are installed.
pub(crate) fn fonts() -> usvg::fontdb::Database {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    use_installed_fonts(&mut fonts);
    fonts
}

/// The shapes of an SVG document.
pub(crate) fn tree(svg: &str, fonts: &Arc<usvg::fontdb::Database>) -> Result<usvg::Tree, PngError> {
    if fonts.is_empty() && svg.contains("<text") {
        return Err(PngError::NoFont);
    }
    let options = usvg::Options {
        fontdb: Arc::clone(fonts),
        font_family: "sans-serif".to_owned(),
        ..usvg::Options::default()
    };
    usvg::Tree::from_str(svg, &options).map_err(|error| PngError::Invalid(error.to_string()))
}

fn rasterised(svg: &str, scale: f32) -> Result<tiny_skia::Pixmap, PngError> {
    let tree = tree(svg, &Arc::new(fonts()))?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let too_large = || PngError::TooLarge {
        width: width.ceil() as u64,
        height: height.ceil() as u64,
    };
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(too_large());
    }
    let mut pixels =
        tiny_skia::Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    resvg::render(
        &tree,
        tiny_skia::Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    Ok(pixels)
}

/// Makes the generic families installed ones: the database names fonts that many systems
/// lack.
fn use_installed_fonts(fonts: &mut usvg::fontdb::Database) {
    let mut names: Vec<String> = fonts
        .faces()
        .filter_map(|face| face.families.first().map(|(name, _)| name.clone()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let first_of = |wanted: &[&str]| {
        wanted
            .iter()
            .find_map(|name| names.iter().find(|other| other == name))
            .or_else(|| names.iter().find(|name| name.contains("Sans")))
            .or_else(|| names.first())
            .cloned()
    };
    let sans = [
        "DejaVu Sans",
        "Noto Sans",
        "Liberation Sans",
        "Arial",
        "Helvetica",
        "Segoe UI",
    ];
    if let Some(name) = first_of(&sans) {
        fonts.set_sans_serif_family(&name);
        fonts.set_serif_family(&name);
    }
    let mono = [
        "DejaVu Sans Mono",
        "Noto Sans Mono",
        "Liberation Mono",
        "Menlo",
        "Consolas",
    ];
    if let Some(name) = first_of(&mono) {
        fonts.set_monospace_family(name);
    }
}
