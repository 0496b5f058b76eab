//! The label of a heap: its name, its size, and its size after the move.

use crate::canvas::{
    ACCENT, ACCENT_FILL, Anchor, Canvas, FAINT, Font, INK, Part, Point, Stroke, TOKEN,
};
use num_bigint::BigUint;

/// A heap to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heap {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its size, if a position is drawn.
    pub size: Option<BigUint>,
    /// Its size after the move, if this differs.
    pub after: Option<BigUint>,
    /// Whether the size is drawn as a disc: filled for 1, empty for 0.
    pub disc: bool,
    /// Its index in the position.
    pub index: Option<usize>,
}

/// A cell of a heap that is drawn by its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Whether the move takes or puts what is here.
    pub changes: bool,
    /// Whether it stands for tokens that are not drawn.
    pub is_gap: bool,
}

/// The number of digits that are shown of a number: of a longer one its first and its last.
const DIGITS_SHOWN: usize = 20;

/// A number, abbreviated if it is long.
pub fn abbreviated(number: &BigUint) -> String {
    let digits = number.to_string();
    match digits.len() {
        0..=DIGITS_SHOWN => digits,
        long => format!("{}…{}", &digits[..6], &digits[long - 6..]),
    }
}

impl Heap {
    /// A heap without a size.
    pub fn named(name: &str) -> Heap {
        Heap {
            name: name.to_owned(),
            size: None,
            after: None,
            disc: false,
            index: None,
        }
    }

    /// The sizes before and after the move as a column shows them: those beyond any column
    /// are equal.
    pub fn tokens(&self) -> (Option<u64>, Option<u64>) {
        let tokens = |size: &BigUint| u64::try_from(size).unwrap_or(u64::MAX);
        let before = self.size.as_ref().map(tokens);
        (before, self.after.as_ref().map(tokens).or(before))
    }

    /// The heap as a column or a row of at most `room` cells, first the tokens that the move
    /// leaves as they are, then those that it takes or puts; `None` without a size. The part with
    /// fewer tokens is whole, if it fits into half the room; of one that has no room a gap of
    /// `gap` cells stands for the tokens in its middle.
    pub fn cells(&self, room: u64, gap: u64) -> Option<Vec<Cell>> {
        let before = self.size.as_ref()?;
        let after = self.after.as_ref().unwrap_or(before);
        let (less, more) = (before.min(after), before.max(after));
        let tokens = |size: &BigUint| u64::try_from(size).unwrap_or(u64::MAX);
        let (stays, changes) = (tokens(less), tokens(&(more - less)));
        let half = room / 2;
        let room_of_stays = match (stays, changes) {
            (_, changes) if changes <= half => room - changes,
            (stays, _) if stays <= half => stays,
            _ => half,
        };
        let part = |tokens: u64, room: u64, changes: bool| {
            let middle = (room + 1).saturating_sub(gap) / 2;
            let is_gap = move |place: u64| tokens > room && (middle..middle + gap).contains(&place);
            (0..tokens.min(room)).map(move |place| Cell {
                changes,
                is_gap: is_gap(place),
            })
        };
        let stays = part(stays, room_of_stays, false);
        Some(
            stays
                .chain(part(changes, room - room_of_stays, true))
                .collect(),
        )
    }

    /// Whether the heap is empty.
    pub fn is_empty(&self) -> bool {
        self.size
            .as_ref()
            .is_some_and(|size| *size == BigUint::ZERO)
    }

    /// Whether the move changes the heap.
    pub fn changes(&self) -> bool {
        self.after.is_some()
    }

    /// The text of its size.
    fn number(&self) -> String {
        match (&self.size, &self.after) {
            (Some(size), Some(after)) => format!("{} → {}", abbreviated(size), abbreviated(after)),
            (Some(size), None) => abbreviated(size),
            (None, _) => String::new(),
        }
    }

    fn fonts(&self) -> (Font, Font) {
        let largest = self.size.as_ref().max(self.after.as_ref());
        let digits = largest.map_or(0, |size| size.to_string().len());
        let number = Font::bold(match digits {
            0..=3 => 20.0,
            4 | 5 => 17.0,
            6..=9 => 14.0,
            _ => 12.0,
        });
        let name = match self.size {
            Some(_) => Font::italic(13.0),
            None => Font::italic(17.0),
        };
        (name, number)
    }

    /// The radius of the disc.
    fn radius(&self) -> f64 {
        let (name, _) = self.fonts();
        let name = if self.size.is_some() {
            name
        } else {
            Font::italic(13.0)
        };
        (name.width(&self.name) / 2.0 + 5.0).max(15.0)
    }

    /// The width and height of the label.
    pub fn extent(&self) -> Point {
        let (name, number) = self.fonts();
        if self.disc {
            let side = 2.0 * self.radius();
            return if self.changes() {
                let below = Font::bold(13.0);
                (
                    side.max(below.width(&self.number())),
                    side + 2.0 * below.height(),
                )
            } else {
                (side, side)
            };
        }
        let text = self.number();
        let width = name.width(&self.name).max(number.width(&text));
        let mut height = 0.0;
        if !self.name.is_empty() {
            height += name.height();
        }
        if !text.is_empty() {
            height += number.height();
        }
        (width, height)
    }

    /// Writes the label around a point.
    pub fn write(&self, canvas: &mut Canvas, at: Point) {
        self.mark(canvas, at, self.extent());
        let (name, number) = self.fonts();
        let accent = if self.changes() { ACCENT } else { INK };
        if self.disc {
            let radius = self.radius();
            let full = self
                .size
                .as_ref()
                .is_some_and(|size| *size == BigUint::from(1_u8));
            let stroke = match (self.changes(), full) {
                (true, _) => Stroke::solid(ACCENT, 4.0),
                (false, true) => Stroke::solid(INK, 1.5),
                (false, false) => Stroke::dashed(FAINT, 1.5),
            };
            canvas.circle(at, radius, if full { TOKEN } else { "#ffffff" }, stroke);
            let colour = if full || self.size.is_none() {
                INK
            } else {
                FAINT
            };
            canvas.text(at, &self.name, Font::italic(13.0), Anchor::Middle, colour);
            if self.changes() {
                let below = Font::bold(13.0);
                let y = at.1 + radius + 3.0 + below.height() / 2.0;
                canvas.text((at.0, y), &self.number(), below, Anchor::Middle, accent);
            }
            return;
        }
        let text = self.number();
        let (_, height) = self.extent();
        let mut y = at.1 - height / 2.0;
        if !self.name.is_empty() {
            let colour = if self.size.is_some() { FAINT } else { INK };
            let middle = y + name.height() / 2.0;
            canvas.text((at.0, middle), &self.name, name, Anchor::Middle, colour);
            y += name.height();
        }
        if !text.is_empty() {
            let middle = y + number.height() / 2.0;
            canvas.text((at.0, middle), &text, number, Anchor::Middle, accent);
        }
    }

    /// The width of the label on one line: the name and the number.
    pub fn line_width(&self) -> f64 {
        let (name, number) = Heap::LINE;
        let (name, number) = (name.width(&self.name), number.width(&self.number()));
        name + number + if name * number > 0.0 { 6.0 } else { 0.0 }
    }

    /// Writes the label on one line that begins at a point.
    pub fn write_line(&self, canvas: &mut Canvas, (x, y): Point) {
        let (name, number) = Heap::LINE;
        let colour = if self.size.is_some() { FAINT } else { INK };
        canvas.text((x, y), &self.name, name, Anchor::Start, colour);
        let colour = if self.changes() { ACCENT } else { INK };
        let text = self.number();
        let at = x + self.line_width() - number.width(&text);
        canvas.text((at, y), &text, number, Anchor::Start, colour);
    }

    /// The fonts of the name and the number on one line.
    const LINE: (Font, Font) = (Font::italic(13.0), Font::bold(14.0));

    /// Says that the heap is drawn around a point.
    pub fn mark(&self, canvas: &mut Canvas, at: Point, extent: Point) {
        if let Some(index) = self.index {
            canvas.mark(Part::Number(index), at, extent);
        }
    }

    /// The width and height of the label on a plate.
    pub fn plate(&self) -> Point {
        let (width, height) = self.extent();
        if self.disc {
            return (width + 4.0, height + 4.0);
        }
        ((width + 14.0).max(34.0), height + 8.0)
    }

    /// Draws the label on a plate around a point.
    pub fn draw(&self, canvas: &mut Canvas, at: Point) {
        if !self.disc {
            let (fill, stroke) = if self.changes() {
                (ACCENT_FILL, Stroke::solid(ACCENT, 3.0))
            } else {
                ("#fff8e6", Stroke::solid(INK, 1.5))
            };
            canvas.plate(at, self.plate(), 9.0, fill, stroke);
            self.mark(canvas, at, self.plate());
        }
        self.write(canvas, at);
    }
}
