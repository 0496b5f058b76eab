//! The two players of a game, their names, and the games that each has won.

use serde_json::{Map, Value, json};

/// The players: a person and the program, or two people. The first is Left in a partizan game.
pub struct Players {
    /// The names of two people; without them a person plays against the program.
    names: Option<[String; 2]>,
    /// The games that each has won, and those drawn.
    won: [u32; 2],
    drawn: u32,
    /// The result of the game that has ended, until another begins or a move is taken back.
    last: Option<Ended>,
}

/// The result of a game.
#[derive(Clone, Copy)]
pub enum Ended {
    /// Whether the first player has won.
    Won(bool),
    Drawn,
}

impl Players {
    pub fn new(names: Option<[String; 2]>) -> Players {
        Players {
            names,
            won: [0; 2],
            drawn: 0,
            last: None,
        }
    }

    pub fn are_two_people(&self) -> bool {
        self.names.is_some()
    }

    /// The name of a player in JSON, and of a person in text.
    pub fn name(&self, first: bool) -> &str {
        match &self.names {
            Some(names) => &names[usize::from(!first)],
            None if first => "you",
            None => "program",
        }
    }

    /// The player as the beginning of a sentence.
    fn subject(&self, first: bool) -> String {
        match &self.names {
            Some(_) => self.name(first).to_owned(),
            None if first => "You".to_owned(),
            None => "The program".to_owned(),
        }
    }

    /// `Your`, `The program's` or `Ann's`.
    pub fn whose(&self, first: bool) -> String {
        match &self.names {
            None if first => "Your".to_owned(),
            _ => format!("{}'s", self.subject(first)),
        }
    }

    /// `You have`, `The program has` or `Ann has`.
    pub fn has(&self, first: bool) -> String {
        let verb = if self.is_you(first) { "have" } else { "has" };
        format!("{} {verb}", self.subject(first))
    }

    /// `You win`, `The program wins` or `Ann wins`.
    pub fn wins(&self, first: bool) -> String {
        let verb = if self.is_you(first) { "win" } else { "wins" };
        format!("{} {verb}", self.subject(first))
    }

    /// The player within a sentence.
    pub fn object(&self, first: bool) -> String {
        match &self.names {
            None if !first => "the program".to_owned(),
            _ => self.name(first).to_owned(),
        }
    }

    fn is_you(&self, first: bool) -> bool {
        first && self.names.is_none()
    }

    pub fn prompt(&self, first: bool) -> String {
        match &self.names {
            Some(_) => format!("{}> ", self.name(first)),
            None => "your move> ".to_owned(),
        }
    }

    /// Counts a game that has ended.
    pub fn count(&mut self, ended: Ended) {
        *self.counter(ended) += 1;
        self.last = Some(ended);
    }

    /// Takes the game that has ended out of the score: its last move is taken back.
    pub fn take_back(&mut self) {
        if let Some(ended) = self.last.take() {
            *self.counter(ended) -= 1;
        }
    }

    /// Begins another game, and returns whether one had ended before.
    pub fn begin(&mut self) -> bool {
        self.last.take().is_some()
    }

    fn counter(&mut self, ended: Ended) -> &mut u32 {
        match ended {
            Ended::Won(first) => &mut self.won[usize::from(!first)],
            Ended::Drawn => &mut self.drawn,
        }
    }

    /// The score in words: `Score: you 2, the program 1`.
    pub fn score(&self) -> String {
        let [one, other] = self.won;
        let mut words = format!(
            "Score: {} {one}, {} {other}",
            self.object(true),
            self.object(false)
        );
        if self.drawn > 0 {
            words.push_str(&format!(", drawn {}", self.drawn));
        }
        words
    }

    pub fn score_in_json(&self) -> Map<String, Value> {
        let won = [true, false].map(|first| {
            let number = self.won[usize::from(!first)];
            (self.name(first).to_owned(), json!(number))
        });
        let mut fields = Map::new();
        fields.insert("won".to_owned(), Map::from_iter(won).into());
        fields.insert("drawn".to_owned(), json!(self.drawn));
        fields
    }
}
