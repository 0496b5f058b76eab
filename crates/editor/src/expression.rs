//! The expressions of a file, and their kinds.

use nimrule_syntax::ast::{
    Action, Amount, Binary, Claim, ClaimStatement, Expr, ExprKind, File, Function, Move, NewSize,
    Repeat, Statement,
};

/// The smallest expression that contains a place; with two that end and begin there, the
/// one that begins.
pub fn at(file: &File, offset: usize) -> Option<&Expr> {
    let mut found: Option<&Expr> = None;
    for statement in &file.statements {
        each_of(&statement.node, &mut |expr| {
            innermost(expr, offset, &mut found);
        });
    }
    found
}

fn innermost<'e>(expr: &'e Expr, offset: usize, found: &mut Option<&'e Expr>) {
    let (start, end) = (expr.span.offset(), expr.span.offset() + expr.span.len());
    if !(start..end).contains(&offset) {
        return;
    }
    *found = Some(expr);
    for part in expr.node.children() {
        innermost(part, offset, found);
    }
}

/// The kind of an expression by its form; `None` for a name, whose kind is that of what
/// it denotes.
pub fn kind(expr: &Expr) -> Option<&'static str> {
    Some(match &expr.node {
        ExprKind::Name(_) => return None,
        ExprKind::Number(_)
        | ExprKind::Total
        | ExprKind::HeapAt(_)
        | ExprKind::Indexed { .. }
        | ExprKind::Field { .. }
        | ExprKind::Negate(_) => "a number",
        ExprKind::Truth(_)
        | ExprKind::Not(_)
        | ExprKind::Compare { .. }
        | ExprKind::Is { .. }
        | ExprKind::Touches { .. }
        | ExprKind::Joined(_)
        | ExprKind::Quantified { .. }
        | ExprKind::Like { .. } => "a condition",
        ExprKind::Heaps
        | ExprKind::Tokens
        | ExprKind::HeapsBeside(_)
        | ExprKind::Each
        | ExprKind::Tuple(_) => "a list of numbers",
        ExprKind::Squares
        | ExprKind::Powers(_)
        | ExprKind::Braces(_)
        | ExprKind::Gathered { .. }
        | ExprKind::Range { .. } => "a set of numbers",
        ExprKind::Binary { operator, .. } => match operator {
            Binary::And | Binary::Or | Binary::Implies => "a condition",
            _ => "a number",
        },
        ExprKind::Call { function, .. } => match function {
            Function::Distinct => "a condition",
            Function::Sorted | Function::Neighbours => "a list of numbers",
            Function::Divisors => "a set of numbers",
            _ => "a number",
        },
        ExprKind::If { then, .. } => return kind(then),
        ExprKind::Let { body, .. } => return kind(body),
    })
}

/// Calls `visit` with the outermost expressions of a statement, but for the entries of
/// positions and the arguments of boards, which are numbers.
fn each_of<'s>(statement: &'s Statement, visit: &mut dyn FnMut(&'s Expr)) {
    match statement {
        Statement::Param(params) => {
            for param in params {
                if let nimrule_syntax::ast::Default::Value(value) = &param.default {
                    visit(value);
                }
                param.range.iter().for_each(&mut *visit);
            }
        }
        Statement::State { range, value, .. } => {
            visit(range);
            value.iter().for_each(visit);
        }
        Statement::Positions(one) | Statement::Suggest(one) | Statement::Blocking(one) => {
            visit(one);
        }
        Statement::EndsBy(all) => all.iter().for_each(visit),
        Statement::Move(mover) => each_of_move(mover, visit),
        Statement::Claim(claim) => each_of_claim(claim, visit),
        Statement::Example(example) => example.condition.iter().for_each(visit),
        Statement::Game { .. }
        | Statement::Source(_)
        | Statement::Note(_)
        | Statement::Board(_)
        | Statement::Heaps(_)
        | Statement::Tokens(_)
        | Statement::Kinds(_)
        | Statement::Family { .. }
        | Statement::MayRepeat
        | Statement::Start(_)
        | Statement::Shown(_)
        | Statement::Unparsed(_) => {}
    }
}

fn each_of_move<'s>(mover: &'s Move, visit: &mut dyn FnMut(&'s Expr)) {
    mover.when.iter().for_each(&mut *visit);
    for choice in &mover.choices {
        visit(&choice.set);
        choice.condition.iter().for_each(&mut *visit);
    }
    for step in &mover.steps {
        match &step.node.repeat {
            Repeat::Once | Repeat::Optionally => {}
            Repeat::UpTo(number) | Repeat::Exactly(number) => visit(number),
        }
        let condition = match &step.node.action {
            Action::Take {
                amount, condition, ..
            } => {
                match amount {
                    Amount::Of(amount) | Amount::Equal(_, Some(amount)) => visit(amount),
                    Amount::Any | Amount::Slow(_) | Amount::All(_) | Amount::Equal(_, None) => {}
                }
                condition
            }
            Action::Put {
                amount, condition, ..
            } => {
                visit(amount);
                condition
            }
            Action::Set {
                value, condition, ..
            } => {
                visit(value);
                condition
            }
            Action::Replace { by, condition, .. } => {
                for new in by {
                    new.count.iter().for_each(&mut *visit);
                    match &new.size {
                        NewSize::Of(size) | NewSize::In(_, size) => visit(size),
                    }
                }
                condition
            }
            Action::Split { condition, .. }
            | Action::Flip { condition, .. }
            | Action::Choose { condition, .. }
            | Action::Slide { condition, .. } => condition,
        };
        condition.iter().for_each(&mut *visit);
    }
}

fn each_of_claim<'s>(claim: &'s Claim, visit: &mut dyn FnMut(&'s Expr)) {
    claim.condition.iter().for_each(&mut *visit);
    match &claim.statement {
        ClaimStatement::Outcome { condition, .. } => visit(condition),
        ClaimStatement::Grundy(value) | ClaimStatement::Labellings(value) => visit(value),
        ClaimStatement::Period {
            period,
            from,
            saltus,
            ..
        } => {
            visit(period);
            visit(from);
            saltus.iter().for_each(visit);
        }
        ClaimStatement::SameAs {
            settings,
            map,
            condition,
            ..
        } => {
            settings.iter().for_each(|(_, value)| visit(value));
            map.iter().chain(condition).for_each(visit);
        }
        ClaimStatement::WinsBy {
            names,
            option,
            condition,
        } => {
            names.iter().for_each(|(_, value)| visit(value));
            option.node.iter().chain(condition).for_each(visit);
        }
        ClaimStatement::Quotient { to, elements } => {
            visit(to);
            visit(elements);
        }
        ClaimStatement::Cogame(labelling) => {
            labelling.iter().for_each(|(_, condition)| visit(condition));
        }
        ClaimStatement::Pairing(_) => {}
    }
}
