//! A reader of the LaTeX of claims, by the usual precedence of the typeset signs: products
//! before sums, no order between sums and nim-sums or beside `\bmod`, and quantifiers
//! that extend as far as they can.
//!
//! It gives the claim back as a text of the language with all brackets, so that the
//! tree of the text can be compared with the tree that was typeset.

use nimrule_model::source::Spanned;
use nimrule_syntax::ast::{
    Action, Binary, Claim, ClaimStatement, Class, Direction, Expr, ExprKind, File, Function,
    HeapSet, Joined, Move, PathEnd, Statement,
};

/// Compares every claim of a file, and every condition and set of its moves as if it were
/// claimed, with what its LaTeX says. Returns their number.
///
/// # Errors
///
/// The first difference as text.
pub fn compare_file(file: &File) -> Result<u64, String> {
    let mut compared = 0;
    for statement in &file.statements {
        let claims = match &statement.node {
            Statement::Claim(claim) => vec![claim.clone()],
            Statement::Move(made) => conditions(made).into_iter().map(claimed).collect(),
            _ => Vec::new(),
        };
        for claim in claims {
            compare(&claim)?;
            compared += 1;
        }
    }
    Ok(compared)
}

/// The conditions and sets of a move.
fn conditions(made: &Move) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = made.when.iter().collect();
    for choice in &made.choices {
        all.push(&choice.set);
        all.extend(&choice.condition);
    }
    for step in &made.steps {
        all.extend(match &step.node.action {
            Action::Take { condition, .. }
            | Action::Put { condition, .. }
            | Action::Split { condition, .. }
            | Action::Replace { condition, .. }
            | Action::Set { condition, .. }
            | Action::Flip { condition, .. }
            | Action::Choose { condition, .. }
            | Action::Slide { condition, .. } => condition,
        });
    }
    all
}

/// The claim that an expression describes the P-positions.
fn claimed(condition: &Expr) -> Claim {
    Claim {
        condition: None,
        misere: false,
        statement: ClaimStatement::Outcome {
            class: Class::P,
            consistent: false,
            up_to_symmetry: false,
            direction: Direction::Iff,
            condition: condition.clone(),
        },
        refuted: None,
        words: Spanned::new((), condition.span),
    }
}

/// The first difference between a claim and what its LaTeX says.
///
/// # Errors
///
/// The difference as text, with the LaTeX.
pub fn compare(claim: &Claim) -> Result<(), String> {
    let latex = nimrule_syntax::claim_as_latex(claim);
    let wrong = |why: &str| Err(format!("{why}: {latex}"));
    let text = match Reader::of(&latex).and_then(|mut reader| reader.claim()) {
        Ok(text) => text,
        Err(why) => return wrong(&why),
    };
    let Ok(file) = nimrule_syntax::parse(&format!("game g\n{text}")).into_result() else {
        return wrong(&format!("read as `{text}`, which does not parse"));
    };
    let read = file.statements.iter().find_map(|one| match &one.node {
        Statement::Claim(claim) => Some(normal(claim)),
        _ => None,
    });
    let own = normal(claim);
    match read {
        Some(read)
            if read.condition == own.condition
                && read.misere == own.misere
                && read.statement == own.statement =>
        {
            Ok(())
        }
        _ => wrong(&format!("read as `{text}`")),
    }
}

/// A token of LaTeX. Sizes of brackets and spaces are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A command with a backslash, or a sign.
    Sign(String),
    /// A name of the language.
    Name(String),
    Number(String),
    /// The words of `\text`.
    Text(String),
    /// `\mathcal` and other letters in a font of their own, with the font.
    Letter(String),
    Function(String),
}

/// The text in braces that begins at an offset, and the offset after it.
fn braced(latex: &str, at: usize) -> Option<(&str, usize)> {
    let inner = latex.get(at..)?.strip_prefix('{')?;
    let mut escaped = false;
    for (place, letter) in inner.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '}' => return Some((&inner[..place], at + place + 2)),
            _ => {}
        }
    }
    None
}

fn tokens(latex: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(letter) = latex[at..].chars().next() {
        let rest = &latex[at..];
        let run = |from: usize, is_in: fn(char) -> bool| {
            let text = &rest[from..];
            from + text.find(|c| !is_in(c)).unwrap_or(text.len())
        };
        if letter == '\\' {
            let end = run(1, |c| c.is_ascii_alphabetic()).max(2);
            let command = &rest[..end];
            at += end;
            let mut argument = || {
                let (inner, after) = braced(latex, at).ok_or_else(|| format!("no {{ at {at}"))?;
                at = after;
                Ok::<String, String>(inner.replace('\\', "").trim().to_owned())
            };
            match command {
                "\\text" => found.push(Token::Text(argument()?)),
                "\\mathit" => found.push(Token::Name(argument()?)),
                "\\operatorname" => found.push(Token::Function(argument()?)),
                "\\mathbf" | "\\mathcal" | "\\mathbb" => {
                    found.push(Token::Letter(format!("{}:{}", &command[5..], argument()?)));
                }
                "\\left" | "\\right" | "\\ " => {}
                "\\begin" | "\\end" => {
                    found.push(Token::Sign(format!("{command} {}", argument()?)))
                }
                _ => found.push(Token::Sign(command.to_owned())),
            }
        } else if letter.is_ascii_digit() {
            let end = run(0, |c| c.is_ascii_digit());
            found.push(Token::Number(rest[..end].to_owned()));
            at += end;
        } else if letter.is_alphabetic() {
            // A letter with a number as its index is one name.
            let first = letter.len_utf8();
            let digits = match rest[first..].starts_with('_') {
                true => run(first + 1, |c| c.is_ascii_digit()),
                false => first,
            };
            let index = &rest[first..digits.max(first)];
            let index = index.strip_prefix('_').unwrap_or_default();
            found.push(Token::Name(format!("{letter}{index}")));
            at += if index.is_empty() { first } else { digits };
        } else {
            if letter != ' ' {
                found.push(Token::Sign(letter.to_string()));
            }
            at += letter.len_utf8();
        }
    }
    Ok(found)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

type Read = Result<String, String>;

/// The comparisons by their signs.
const COMPARISONS: [(&str, &str); 7] = [
    ("=", "=="),
    ("\\ne", "!="),
    ("<", "<"),
    ("\\le", "<="),
    (">", ">"),
    ("\\ge", ">="),
    ("\\in", "in"),
];

const POSITION: &str = "bf:p";

/// The list of the tokens.
const TOKENS: &str = "bf:t";

impl Reader {
    fn of(latex: &str) -> Result<Reader, String> {
        let tokens = tokens(latex)?;
        Ok(Reader { tokens, at: 0 })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.take(&Token::Sign(sign.to_owned()))
    }

    fn text(&mut self, text: &str) -> bool {
        self.take(&Token::Text(text.to_owned()))
    }

    fn letter(&mut self, letter: &str) -> bool {
        self.take(&Token::Letter(letter.to_owned()))
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(format!("no `{sign}` at {:?}", self.peek())),
        }
    }

    fn name(&mut self) -> Read {
        match self.peek().cloned() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            other => Err(format!("no name at {other:?}")),
        }
    }

    fn claim(&mut self) -> Read {
        let mut claim = "claim".to_owned();
        if self.text("for") {
            claim += &format!(" for {}:", self.open()?);
            self.expect("\\colon")?;
        }
        if self.text("mis`ere:") {
            claim += " misere";
        }
        claim += &self.claimed()?;
        match self.peek() {
            None => Ok(claim),
            Some(more) => Err(format!("more at {more:?}")),
        }
    }

    fn claimed(&mut self) -> Read {
        if self.text("every N-position is reached from a P-position") {
            if !self.text("in the labelling") {
                return Ok(" cogame".to_owned());
            }
            let class = match self.peek().cloned() {
                Some(Token::Letter(class)) if class.starts_with("cal:") => class[4..].to_owned(),
                other => return Err(format!("no class at {other:?}")),
            };
            self.at += 1;
            if !self.text("iff") {
                return Err("no iff".to_owned());
            }
            return Ok(format!(" cogame {class} iff {}", self.open()?));
        }
        if self.text("consistent labellings:") {
            return Ok(format!(" labellings == {}", self.open()?));
        }
        let agreement = ["same as", "same outcome as", "same grundy as"];
        if let Some(same) = agreement.into_iter().find(|words| self.text(words)) {
            let mut claim = format!(" {same} {}", self.name()?);
            if self.sign("(") {
                let mut settings = Vec::new();
                loop {
                    let name = self.name()?;
                    self.expect("=")?;
                    settings.push(format!("{name} = {}", self.open()?));
                    if !self.sign(",") {
                        break;
                    }
                }
                self.expect(")")?;
                claim += &format!("({})", settings.join(", "));
            }
            if self.text("under") {
                self.expect("(")?;
                let mut sizes = vec![self.open()?];
                while self.sign(",") {
                    sizes.push(self.open()?);
                }
                self.expect(")")?;
                // A generator stands in the brackets of a set.
                let written = match sizes.as_slice() {
                    [only] => only
                        .strip_prefix('{')
                        .and_then(|only| only.strip_suffix('}'))
                        .unwrap_or(only)
                        .to_owned(),
                    several => several.join(", "),
                };
                claim += &format!(" under ({written})");
            }
            if self.text("where") {
                claim += &format!(" where {}", self.open()?);
            }
            return Ok(claim);
        }
        if self.sign("|") {
            if !self.letter("cal:Q") {
                return Err("no quotient".to_owned());
            }
            self.expect("_")?;
            let to = self.in_braces()?;
            self.expect("|")?;
            self.expect("=")?;
            return Ok(format!(" quotient to {to} has {} elements", self.open()?));
        }
        if self.letter("cal:P") {
            let mut pairs = Vec::new();
            if !self.text("by pairing") {
                return Err("no pairing".to_owned());
            }
            loop {
                let one = self.vertex()?;
                self.expect("\\leftrightarrow")?;
                pairs.push(format!("{one} with {}", self.vertex()?));
                if !self.sign(",") {
                    break;
                }
            }
            return Ok(format!(" P by pairing {}", pairs.join(", ")));
        }
        if self.letter("cal:N") {
            if !self.text("wins by") {
                return Err("no move".to_owned());
            }
            self.expect("(")?;
            let mut sizes = vec![self.open()?];
            while self.sign(",") {
                sizes.push(self.open()?);
            }
            self.expect(")")?;
            let mut names = String::new();
            if self.text("with") {
                loop {
                    let name = self.name()?;
                    self.expect("=")?;
                    names += &format!(" let {name} = {} in", self.open()?);
                    if !self.sign(",") {
                        break;
                    }
                }
            }
            let mut claim = format!(" N wins by{names} ({})", sizes.join(", "));
            if self.text("if") {
                claim += &format!(" if {}", self.open()?);
            }
            return Ok(claim);
        }
        if self.letter("cal:G") {
            if self.text("has the period") {
                let mut claim = format!(" period {}", self.open()?);
                for (text, word) in [("from", "from"), ("with saltus", "saltus")] {
                    if self.text(text) {
                        claim += &format!(" {word} {}", self.open()?);
                    }
                }
                if self.text("of") {
                    claim += &format!(" of {}", self.name()?);
                }
                return Ok(claim);
            }
            self.expect("(")?;
            if !self.letter(POSITION) {
                return Err("no position".to_owned());
            }
            self.expect(")")?;
            self.expect("=")?;
            return Ok(format!(" grundy == {}", self.open()?));
        }
        let consistent = match self.text("consistent:") {
            true => " consistent",
            false => "",
        };
        if !self.letter(POSITION) {
            return Err(format!("no claim at {:?}", self.peek()));
        }
        self.expect("\\in")?;
        let class = match self.peek().cloned() {
            Some(Token::Letter(class)) if class.starts_with("cal:") => class[4..].to_owned(),
            other => return Err(format!("no class at {other:?}")),
        };
        self.at += 1;
        let symmetry = match self.text("(up to symmetry)") {
            true => " up to symmetry",
            false => "",
        };
        let arrows = [
            ("\\iff", "iff"),
            ("\\implies", "only if"),
            ("\\impliedby", "if"),
        ];
        let arrow = arrows.iter().find(|(sign, _)| self.sign(sign));
        let (_, arrow) = arrow.ok_or("no arrow")?;
        let condition = self.open()?;
        Ok(format!(
            "{consistent} {class}{symmetry} {arrow} {condition}"
        ))
    }

    /// A vertex by its number or by its coordinates.
    fn vertex(&mut self) -> Read {
        let before = self.at;
        if self.sign("(")
            && let Ok(all) = self.list()
            && all.len() > 1
            && self.sign(")")
        {
            return Ok(format!("({})", all.join(", ")));
        }
        self.at = before;
        self.open()
    }

    /// What stands in braces.
    fn in_braces(&mut self) -> Read {
        self.expect("{")?;
        let inside = self.open()?;
        self.expect("}")?;
        Ok(inside)
    }

    fn list(&mut self) -> Result<Vec<String>, String> {
        let mut all = vec![self.open()?];
        while self.sign(",") {
            all.push(self.open()?);
        }
        Ok(all)
    }

    /// A form that extends as far as it can, or a condition, or a number.
    fn open(&mut self) -> Read {
        for (sign, word) in [("\\exists", "exists"), ("\\forall", "forall")] {
            if self.sign(sign) {
                let mut bound = Vec::new();
                loop {
                    let name = self.name()?;
                    self.expect("\\in")?;
                    bound.push(format!("{name} in {}", self.number()?));
                    if !self.sign(",") {
                        break;
                    }
                }
                self.expect(":")?;
                let body = self.open()?;
                return Ok(format!("({word} {}: {body})", bound.join(", ")));
            }
        }
        if self.text("let") {
            let name = self.name()?;
            self.expect("=")?;
            let value = self.number()?;
            if !self.text("in") {
                return Err("no `in`".to_owned());
            }
            return Ok(format!("(let {name} = {value} in {})", self.open()?));
        }
        if self.sign("\\begin cases") {
            let then = self.open()?;
            self.expect("&")?;
            if !self.text("if") {
                return Err("no `if`".to_owned());
            }
            let condition = self.open()?;
            self.expect("\\\\")?;
            let otherwise = self.open()?;
            self.expect("&")?;
            if !self.text("otherwise") {
                return Err("no `otherwise`".to_owned());
            }
            self.expect("\\end cases")?;
            return Ok(format!("(if {condition} then {then} else {otherwise})"));
        }
        let left = self.chain("\\lor", "or", |r| {
            r.chain("\\land", "and", Reader::negation)
        })?;
        if self.sign("\\Rightarrow") {
            let right = self.chain("\\lor", "or", |r| {
                r.chain("\\land", "and", Reader::negation)
            })?;
            return Ok(format!("({left} implies {right})"));
        }
        // What follows a form extends it as far as it can.
        if left.starts_with("(like") && self.text("where") {
            let form = &left[..left.len() - 1];
            return Ok(format!("{form} where {})", self.open()?));
        }
        Ok(left)
    }

    /// Operands that are joined from the left.
    fn chain(
        &mut self,
        sign: &str,
        word: &str,
        mut operand: impl FnMut(&mut Reader) -> Read,
    ) -> Read {
        let mut all = operand(self)?;
        while self.sign(sign) {
            all = format!("({all} {word} {})", operand(self)?);
        }
        Ok(all)
    }

    fn negation(&mut self) -> Read {
        match self.sign("\\lnot") {
            true => Ok(format!("(not {})", self.atom()?)),
            false => self.relation(),
        }
    }

    fn relation(&mut self) -> Read {
        let first = self.number()?;
        if first == "heaps" && self.sign("\\sim") {
            self.expect("(")?;
            let form = match self.sign(")") {
                true => Vec::new(),
                false => {
                    let form = self.list()?;
                    self.expect(")")?;
                    form
                }
            };
            return Ok(format!("(like ({}))", form.join(", ")));
        }
        for word in ["is", "is not", "touches"] {
            if self.text(word) {
                return Ok(format!("({first} {word} {})", self.name()?));
            }
        }
        let mut all = first.clone();
        while let Some((_, word)) = COMPARISONS.iter().find(|(sign, _)| self.sign(sign)) {
            all += &format!(" {word} {}", self.number()?);
        }
        match all == first {
            true => Ok(first),
            false => Ok(format!("({all})")),
        }
    }

    /// A sum, a nim-sum, a remainder, a large operator or a number with its sign. None of
    /// them has an order with another.
    fn number(&mut self) -> Read {
        if self.sign("-") {
            return Ok(format!("(- {})", self.power()?));
        }
        let large = [
            ("\\sum", "sum"),
            ("\\bigoplus", "xor"),
            ("\\max", "max"),
            ("\\min", "min"),
        ];
        for (sign, word) in large {
            let ahead = self.tokens.get(self.at + 1);
            if ahead == Some(&Token::Sign("_".to_owned())) && self.sign(sign) {
                self.expect("_")?;
                return self.ranged(word);
            }
        }
        let first = self.product()?;
        if self.sign("\\bmod") {
            return Ok(format!("({first} mod {})", self.power()?));
        }
        let mut all = first;
        let is_nim_sum = self.peek() == Some(&Token::Sign("\\oplus".to_owned()));
        loop {
            let signs: &[(&str, &str)] = match is_nim_sum {
                true => &[("\\oplus", "^")],
                false => &[("+", "+"), ("-", "-")],
            };
            let Some((_, word)) = signs.iter().find(|(sign, _)| self.sign(sign)) else {
                return Ok(all);
            };
            all = format!("({all} {word} {})", self.product()?);
        }
    }

    /// What follows a large operator with a range.
    fn ranged(&mut self, word: &str) -> Read {
        if self.take(&Token::Name("i".to_owned())) {
            let list = match self.letter(TOKENS) {
                true => Some("tokens"),
                false => self.letter(POSITION).then_some("heaps"),
            };
            let indexed = self.sign("_") && self.take(&Token::Name("i".to_owned()));
            return match list.filter(|_| indexed) {
                Some(list) => Ok(format!("{word}({list})")),
                None => Err("no p_i".to_owned()),
            };
        }
        self.expect("{")?;
        let range = self.range()?;
        self.expect("}")?;
        Ok(format!("{word}({} for {range})", self.product()?))
    }

    /// `x \in S : COND`, as a generator.
    fn range(&mut self) -> Read {
        let name = self.name()?;
        self.expect("\\in")?;
        let mut range = format!("{name} in {}", self.number()?);
        if self.sign(":") {
            range += &format!(" where {}", self.open()?);
        }
        Ok(range)
    }

    fn product(&mut self) -> Read {
        self.chain("\\cdot", "*", Reader::power)
    }

    fn power(&mut self) -> Read {
        let base = self.atom()?;
        if !self.sign("^") {
            return Ok(base);
        }
        let exponent = match self.peek().cloned() {
            Some(Token::Number(digit)) => {
                self.at += 1;
                digit
            }
            _ => self.in_braces()?,
        };
        Ok(format!("({base} ** {exponent})"))
    }

    /// The arguments of a function up to what ends them, or a value with its range.
    fn arguments(&mut self, end: &str) -> Read {
        if self.sign(end) {
            return Ok(String::new());
        }
        let all = self.list()?.join(", ");
        let inside = match self.sign("\\mid") {
            true => format!("{all} for {}", self.range()?),
            false => all,
        };
        self.expect(end)?;
        Ok(inside)
    }

    fn atom(&mut self) -> Read {
        let token = self.peek().cloned().ok_or("the end")?;
        self.at += 1;
        match token {
            Token::Number(number) => Ok(number),
            Token::Name(name) => {
                if self.sign("_") {
                    self.expect("{")?;
                    let indices = self.list()?.join(", ");
                    self.expect("}")?;
                    return Ok(format!("{name}[{indices}]"));
                }
                if self.sign("(") {
                    let of = self.name()?;
                    self.expect(")")?;
                    return Ok(format!("{of}.{name}"));
                }
                Ok(name)
            }
            Token::Letter(letter) if letter == TOKENS => Ok("tokens".to_owned()),
            Token::Letter(letter) if letter == POSITION => {
                if !self.sign("_") {
                    return Ok("heaps".to_owned());
                }
                self.expect("{")?;
                for side in ["left of", "right of", "above", "below"] {
                    if self.text(side) {
                        let of = self.name()?;
                        self.expect("}")?;
                        return Ok(format!("(heaps {side} {of})"));
                    }
                }
                let index = self.open()?;
                self.expect("}")?;
                Ok(format!("heaps[{index}]"))
            }
            Token::Letter(letter) if letter == "bb:Z" => {
                self.expect("_")?;
                self.expect("{")?;
                self.expect("\\ge")?;
                let low = self.open()?;
                self.expect("}")?;
                Ok(format!("({low} ..)"))
            }
            Token::Function(name) if name == "joined" => {
                self.expect("(")?;
                let from = self.path_end()?;
                self.expect(",")?;
                let to = self.path_end()?;
                if !self.text("through") {
                    return Err(format!("no `through` at {:?}", self.peek()));
                }
                let range = self.range()?;
                self.expect(")")?;
                Ok(format!("joined({from}, {to} through {range})"))
            }
            Token::Function(name) => {
                self.expect("(")?;
                Ok(format!("{name}({})", self.arguments(")")?))
            }
            Token::Sign(sign) => self.signed(&sign),
            other => Err(format!("no number at {other:?}")),
        }
    }

    /// The heaps at an end of a path.
    fn path_end(&mut self) -> Read {
        if !self.sign("\\{") {
            return self.atom();
        }
        if self.tokens.get(self.at + 1) == Some(&Token::Sign("\\in".to_owned())) {
            let range = self.range()?;
            self.expect("\\}")?;
            return Ok(format!("{{ {range} }}"));
        }
        let mut heaps = vec![self.atom()?];
        while self.sign(",") {
            heaps.push(self.atom()?);
        }
        self.expect("\\}")?;
        Ok(format!("{{ {} }}", heaps.join(" ")))
    }

    fn signed(&mut self, sign: &str) -> Read {
        match sign {
            "(" => {
                let inside = self.open()?;
                self.expect(")")?;
                Ok(inside)
            }
            "\\top" => Ok("true".to_owned()),
            "\\bot" => Ok("false".to_owned()),
            "\\lvert" => Ok(format!("abs({})", self.arguments("\\rvert")?)),
            "\\max" | "\\min" | "\\gcd" | "\\sum" | "\\bigoplus" => {
                self.expect("(")?;
                let word = match sign {
                    "\\bigoplus" => "xor",
                    other => &other[1..],
                };
                Ok(format!("{word}({})", self.arguments(")")?))
            }
            "\\#" if self.sign("\\{") => {
                let name = self.peek().cloned();
                let range = self.range()?;
                self.expect("\\}")?;
                match name {
                    Some(Token::Name(name)) => Ok(format!("count({name} for {range})")),
                    other => Err(format!("no name at {other:?}")),
                }
            }
            "\\#" => {
                self.expect("(")?;
                Ok(format!("count({})", self.arguments(")")?))
            }
            "\\lfloor" if self.sign("\\sqrt") => {
                self.expect("{")?;
                let inside = self.arguments("}")?;
                self.expect("\\rfloor")?;
                Ok(format!("isqrt({inside})"))
            }
            "\\lfloor" => {
                self.expect("\\frac")?;
                let (left, right) = (self.in_braces()?, self.in_braces()?);
                self.expect("\\rfloor")?;
                Ok(format!("({left} div {right})"))
            }
            "\\binom" => {
                let (n, k) = (self.in_braces()?, self.in_braces()?);
                Ok(format!("binomial({n}, {k})"))
            }
            "\\{" => self.set(),
            other => Err(format!("no number at {other}")),
        }
    }

    /// A set after its opening brace.
    fn set(&mut self) -> Read {
        let mut all = Vec::new();
        let mut dots = None;
        while !self.sign("\\}") {
            if all.len() == 1 && self.sign("\\mid") {
                let range = self.range()?;
                self.expect("\\}")?;
                return Ok(format!("{{{} for {range}}}", all[0]));
            }
            if !all.is_empty() || dots.is_some() {
                self.expect(",")?;
            }
            match self.sign("\\ldots") {
                true => dots = Some(all.len()),
                false => all.push(self.open()?),
            }
        }
        match (dots, all.as_slice()) {
            (None, all) => Ok(format!("{{{}}}", all.join(", "))),
            (Some(1), [low, high]) => Ok(format!("({low} .. {high})")),
            (Some(4), [a, b, c, d]) if [a, b, c, d] == ["0", "1", "4", "9"] => {
                Ok("squares".to_owned())
            }
            (Some(3), [first, ..]) => {
                let base = first
                    .strip_prefix('(')
                    .and_then(|f| f.strip_suffix(" ** 0)"));
                base.map_or_else(
                    || Err("no power".to_owned()),
                    |b| Ok(format!("powers({b})")),
                )
            }
            other => Err(format!("a set {other:?}")),
        }
    }
}

/// A claim in which notations for the same are written in one way: `xor(a, b)` as
/// `a ^ b`, `sum(a, b)` as `a + b`, and `x in S where COND` as `x for x in S where COND`.
fn normal(claim: &Claim) -> Claim {
    let mut claim = claim.clone();
    claim.condition.iter_mut().for_each(rewrite);
    match &mut claim.statement {
        ClaimStatement::Outcome { condition, .. } => rewrite(condition),
        ClaimStatement::Grundy(value) | ClaimStatement::Labellings(value) => rewrite(value),
        ClaimStatement::Period {
            period,
            from,
            saltus,
            ..
        } => [period, from].into_iter().chain(saltus).for_each(rewrite),
        ClaimStatement::SameAs {
            settings,
            map,
            condition,
            ..
        } => {
            let values = settings.iter_mut().map(|(_, value)| value);
            values.chain(map).chain(condition).for_each(rewrite);
        }
        ClaimStatement::WinsBy {
            names,
            option,
            condition,
        } => {
            names.iter_mut().for_each(|(_, value)| rewrite(value));
            option.node.iter_mut().chain(condition).for_each(rewrite);
        }
        ClaimStatement::Quotient { to, elements } => [to, elements].into_iter().for_each(rewrite),
        ClaimStatement::Cogame(Some((_, condition))) => rewrite(condition),
        ClaimStatement::Pairing(_) | ClaimStatement::Cogame(None) => {}
    }
    claim
}

fn rewrite(expr: &mut Expr) {
    if let ExprKind::Call {
        function,
        arguments,
        generator,
    } = &mut expr.node
    {
        if let (Some(generator), [only]) = (generator.as_mut(), arguments.as_mut_slice())
            && generator.binder.is_none()
            && let ExprKind::Compare { first, rest } = &only.node
            && let (ExprKind::Name(name), [(_, over)]) = (&first.node, rest.as_slice())
        {
            let name = nimrule_syntax::ast::Name::new(name.clone(), first.span);
            generator.binder = Some((name, Box::new(over.clone())));
            *only = (**first).clone();
        }
        let operator = match function {
            Function::Xor => Some(Binary::NimSum),
            Function::Sum => Some(Binary::Add),
            _ => None,
        };
        if let (Some(operator), [_, _, ..]) = (operator, arguments.as_slice()) {
            let chain = arguments.drain(..).reduce(|left, right| {
                let span = left.span;
                let (left, right) = (Box::new(left), Box::new(right));
                let kind = ExprKind::Binary {
                    operator,
                    left,
                    right,
                };
                Expr::new(kind, span)
            });
            expr.node = chain.expect("two or more").node;
        }
    }
    if let ExprKind::Gathered { value, generator } = &mut expr.node
        && generator.binder.is_none()
        && let ExprKind::Compare { first, rest } = &value.node
        && let (ExprKind::Name(name), [(_, over)]) = (&first.node, rest.as_slice())
    {
        let name = nimrule_syntax::ast::Name::new(name.clone(), first.span);
        generator.binder = Some((name, Box::new(over.clone())));
        **value = (**first).clone();
    }
    for part in parts(expr) {
        rewrite(part);
    }
}

/// The direct subexpressions.
fn parts(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.node {
        ExprKind::Number(_)
        | ExprKind::Truth(_)
        | ExprKind::Name(_)
        | ExprKind::Heaps
        | ExprKind::Tokens
        | ExprKind::HeapsBeside(_)
        | ExprKind::Total
        | ExprKind::Each
        | ExprKind::Squares
        | ExprKind::Field { .. } => Vec::new(),
        ExprKind::Powers(inner)
        | ExprKind::HeapAt(inner)
        | ExprKind::Negate(inner)
        | ExprKind::Not(inner)
        | ExprKind::Is { left: inner, .. }
        | ExprKind::Touches { left: inner, .. } => vec![inner],
        ExprKind::Braces(all) | ExprKind::Tuple(all) | ExprKind::Indexed { indices: all, .. } => {
            all.iter_mut().collect()
        }
        ExprKind::Gathered { value, generator } => {
            let over = generator.binder.as_mut().map(|(_, over)| &mut **over);
            let condition = generator.condition.as_deref_mut();
            [&mut **value]
                .into_iter()
                .chain(over)
                .chain(condition)
                .collect()
        }
        ExprKind::Range { low, high } => {
            let high = high.as_deref_mut();
            [&mut **low].into_iter().chain(high).collect()
        }
        ExprKind::Binary { left, right, .. } => vec![left, right],
        ExprKind::Compare { first, rest } => {
            let rest = rest.iter_mut().map(|(_, right)| right);
            [&mut **first].into_iter().chain(rest).collect()
        }
        ExprKind::Call {
            arguments,
            generator,
            ..
        } => {
            let mut all: Vec<&mut Expr> = arguments.iter_mut().collect();
            if let Some(generator) = generator {
                all.extend(generator.binder.as_mut().map(|(_, over)| &mut **over));
                all.extend(generator.condition.as_deref_mut());
            }
            all
        }
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => vec![condition, then, otherwise],
        ExprKind::Let { value, body, .. } => vec![value, body],
        ExprKind::Quantified { binders, body, .. } => {
            let sets = binders.iter_mut().map(|(_, over)| over);
            sets.chain([&mut **body]).collect()
        }
        ExprKind::Like { form, condition } => {
            form.iter_mut().chain(condition.as_deref_mut()).collect()
        }
        ExprKind::Joined(joined) => {
            let Joined {
                from,
                to,
                through: (_, over),
                condition,
            } = &mut **joined;
            let mut all = Vec::new();
            for end in [from, to] {
                match end {
                    PathEnd::Named(heap) => all.extend(&mut heap.indices),
                    PathEnd::Set(set) => match &mut set.node {
                        HeapSet::Listed(heaps) => {
                            all.extend(heaps.iter_mut().flat_map(|heap| &mut heap.indices));
                        }
                        HeapSet::Those {
                            among, condition, ..
                        } => all.extend([&mut **among, &mut **condition]),
                    },
                }
            }
            all.push(over);
            all.extend(condition);
            all
        }
    }
}
