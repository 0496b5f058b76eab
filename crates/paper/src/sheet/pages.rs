//! A sheet as PDF: what stands below each other is set on pages, and no position is divided.

use super::Sheet;
use nimrule_draw::pdf::{Fonts, PAGE, PdfError, Placed};

/// The empty space at each side of a page, in the units of a picture: 96 for an inch.
const MARGIN: f32 = 60.0;
/// The width of what is set.
const WIDTH: f32 = PAGE.0 - 2.0 * MARGIN;
/// The height of the letters of the text and of titles.
const TEXT: f32 = 15.0;
const TITLE: f32 = 22.0;
/// The greatest height of a board.
const BOARD: f32 = 240.0;
/// How far numbers stand before what they number.
const INDENT: f32 = 26.0;
/// The space between two positions side by side.
const GAP: f32 = 30.0;
/// The height of a line to write on.
const LINE: f32 = 30.0;

impl Sheet {
    /// The sheet as PDF, on pages of A4.
    ///
    /// # Errors
    ///
    /// If no font is installed.
    pub fn pdf(&self) -> Result<Vec<u8>, PdfError> {
        let fonts = Fonts::installed()?;
        let mut pages = Pages::new(&fonts);
        pages.title(&self.title)?;
        for words in &self.rule {
            let bullet = Block::numbered(&fonts, "•", words, WIDTH)?;
            pages.set(bullet);
        }
        let mut question = Block::default();
        question.text(&fonts, &self.question, TEXT, false)?;
        pages.set(question.spaced(TEXT));
        let across = self.across.max(1);
        let width = (WIDTH + GAP) / across as f32 - GAP;
        let mut number = 0;
        for row in self.tasks.chunks(across) {
            let mut blocks = Block::default();
            for (place, task) in row.iter().enumerate() {
                number += 1;
                let number = format!("{number}.");
                let mut block = Block::numbered(&fonts, &number, &task.position, width)?;
                if let Some(picture) = &task.picture {
                    block.board(fonts.picture(picture)?, width);
                }
                block.lines(&fonts, width)?;
                blocks.beside(block, (width + GAP) * place as f32);
            }
            pages.set(blocks.spaced(TEXT));
        }
        pages.turn();
        pages.title(&format!("Solutions: {}", self.title))?;
        for (number, task) in self.tasks.iter().enumerate() {
            let number = format!("{}.", number + 1);
            let solution = format!("{}: {}", task.position, task.solution);
            pages.set(Block::numbered(&fonts, &number, &solution, WIDTH)?);
        }
        fonts.document(&self.title, &pages.done)
    }
}

/// What is not divided between pages: its pictures, from its own upper left corner.
#[derive(Debug, Default)]
struct Block {
    pictures: Vec<Placed>,
    height: f32,
}

impl Block {
    /// A text behind its number, both of this width.
    fn numbered(fonts: &Fonts, number: &str, text: &str, width: f32) -> Result<Block, PdfError> {
        let mut block = Block {
            pictures: fonts.paragraph(number, TEXT, false, INDENT)?,
            height: 0.0,
        };
        block.lines_of(fonts.paragraph(text, TEXT, false, width - INDENT)?, INDENT);
        block.height += TEXT * 0.3;
        Ok(block)
    }

    fn text(&mut self, fonts: &Fonts, text: &str, size: f32, bold: bool) -> Result<(), PdfError> {
        self.lines_of(fonts.paragraph(text, size, bold, WIDTH)?, 0.0);
        Ok(())
    }

    fn lines_of(&mut self, lines: Vec<Placed>, left: f32) {
        for mut line in lines {
            line.at = (left, self.height);
            self.height += line.size().1;
            self.pictures.push(line);
        }
    }

    /// A board, as large as it is drawn unless there is less room.
    fn board(&mut self, mut board: Placed, room: f32) {
        let (width, height) = board.size();
        board.scale = (BOARD / height).min((room - INDENT) / width).min(1.0);
        self.height += TEXT * 0.5;
        self.lines_of(vec![board], INDENT);
    }

    /// Two lines to write on.
    fn lines(&mut self, fonts: &Fonts, width: f32) -> Result<(), PdfError> {
        let width = width - INDENT;
        let rule = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{LINE}\">\
             <path d=\"M0 {0}H{width}\" stroke=\"#999\"/></svg>",
            LINE - 1.0
        );
        let rule = fonts.picture(&rule)?;
        self.lines_of(vec![rule.clone(), rule], INDENT);
        Ok(())
    }

    /// Adds another block, so far from the left, with its upper end at that of this one.
    fn beside(&mut self, other: Block, left: f32) {
        self.height = self.height.max(other.height);
        self.pictures
            .extend(other.pictures.into_iter().map(|mut picture| {
                picture.at.0 += left;
                picture
            }));
    }

    /// The block with space below it.
    fn spaced(mut self, space: f32) -> Block {
        self.height += space;
        self
    }
}

/// Pages that are filled from the top.
struct Pages<'f> {
    fonts: &'f Fonts,
    done: Vec<Vec<Placed>>,
    /// The height at which the last page is free.
    free: f32,
}

impl Pages<'_> {
    fn new(fonts: &Fonts) -> Pages<'_> {
        Pages {
            fonts,
            done: vec![Vec::new()],
            free: MARGIN,
        }
    }

    /// Begins a page.
    fn turn(&mut self) {
        self.done.push(Vec::new());
        self.free = MARGIN;
    }

    fn title(&mut self, title: &str) -> Result<(), PdfError> {
        let mut block = Block::default();
        block.text(self.fonts, title, TITLE, true)?;
        self.set(block.spaced(TEXT));
        Ok(())
    }

    /// Sets a block where the last page is free, or at the top of a new one.
    fn set(&mut self, block: Block) {
        if self.free > MARGIN && self.free + block.height > PAGE.1 - MARGIN {
            self.turn();
        }
        let page = self
            .done
            .last_mut()
            .expect("INVARIANT: there is a first page");
        for mut picture in block.pictures {
            picture.at = (picture.at.0 + MARGIN, picture.at.1 + self.free);
            page.push(picture);
        }
        self.free += block.height;
    }
}
