//! Sets of heaps and of numbers by a condition mean the sets written out.

use nimrule::Game;

/// Rules that denote the same game: one with comprehensions, one without.
const PAIRS: [(&str, &str); 20] = [
    (
        "heaps a b c family pair = { w in heaps where w is not v } for v in heaps
         move take from one pair",
        "heaps a b c family pair = { b c }, { a c }, { a b } move take from one pair",
    ),
    (
        "heaps g[x in 1..2, y in 1..2] family row = { w in g where w.x == i } for i in 1..2
         move take slow from one row",
        "heaps a b c d family row = { a b }, { c d } move take slow from one row",
    ),
    (
        "heaps g[x in 1..2, y in 1..2] family line = { w in g where w.x == i },
         { w in g where w.y == i } for i in 1..2, { g[1,1] g[2,2] } move take slow from one line",
        "heaps a b c d family line = { a b }, { a c }, { c d }, { b d }, { a d }
         move take slow from one line",
    ),
    (
        "heaps e[i in 1..3, i+1..3] family star = { w in e where w.i == k } for k in 1..3
         move take from one star",
        "heaps a b c family star = { a b }, { c } move take from one star",
    ),
    (
        "heaps d[k in 2..12 where 12 mod k == 0] move take from d[4] move take 1 from one d",
        "heaps a b c d e move take from c move take 1 from one heap",
    ),
    (
        "heaps a b c family before of v = { w in heaps where index(w) < index(v) }
         move choose one heap as x then take from all before of x",
        "heaps a b c move choose one heap as x then take from all heaps left of x",
    ),
    (
        "heaps a b c family two = { a b }, { b c }, { c }
         move take 1 from one heap as x then take 1 from one two of x",
        "heaps a b c move take 1 from a then take 1 from one of {a b}
         move take 1 from b then take 1 from one of {a b}, {b c}
         move take 1 from c then take 1 from one of {b c}, {c}",
    ),
    (
        "board grid(2, 2) heaps on vertices
         move take 1 from one heap as x then take 1 from one heap as y where y.x > x.x",
        "heaps a b c d move take 1 from one of a b then take 1 from one of c d",
    ),
    (
        "heaps g[x in 0..1, y in 0..1] move for some i in 0..1 take 1 from g[i, 1 - i]",
        "heaps a b c d move take 1 from one of b c",
    ),
    (
        "heaps e[i in 1..3, i+1..3] move for some i in 1..2 take 1..2 from e[i, i + 1]",
        "heaps a b c move take 1..2 from one of a c",
    ),
    (
        "param s = {i * i + 1 for i in 1..2} heaps a b
         move take s from a move when a > 1 take {a div d for d in 1..2} from b
         move take {i in 1..4 where i mod 3 == 1} from b",
        "heaps a b move take {2, 5} from a move when a > 1 take {a, a div 2} from b
         move take {1, 4} from b",
    ),
    (
        "param l = (2, 1, 2) in 1..2 heaps a b c
         move take t from one heap as x where t <= l[index(x)]",
        "heaps a b c move take 1..2 from one of a c move take 1 from b",
    ),
    (
        "param l = (1, 3) heaps a b move for some i in 1..size(l) take l[i] from heaps[i]
         move take l from b",
        "heaps a b move take 1 from a move take {1, 3} from b",
    ),
    (
        "heaps a b move take divisors(a) from a move take divisors(6) from b",
        "heaps a b move take t from a where a mod t == 0 move take {1, 2, 3, 6} from b",
    ),
    (
        "heaps a b c move take 1 from one heap then set all heaps as y to min(y, index(y))",
        "heaps a b c move take 1 from one heap then set a to min(a, 1) then set b to min(b, 2)
         then set c to min(c, 3)",
    ),
    (
        "heaps a b c move take 1 from one heap as x
         then set all heaps as y to if y is x or y > 2 then y else 0",
        "heaps a b c move take 1 from a then set all heaps right of a as y to if y > 2 then y else 0
         move take 1 from b then set one of {a c} as y to if y > 2 then y else 0
         move take 1 from c then set all heaps left of c as y to if y > 2 then y else 0",
    ),
    (
        "heaps a b c move choose one heap as x then take slow from exactly x heaps",
        "heaps a b c move when 1 in heaps take 1 from one heap
         move when 2 in heaps take slow from exactly 2 heaps
         move when 3 in heaps take slow from all heaps",
    ),
    (
        "heaps a b c move take 1 from a then take 1 from up to a - 1 heaps",
        "heaps a b c move when a == 3 take 1 from a then take 1 from one heap
         move when a == 4 take 1 from a then take 1 from up to 2 heaps
         move when a > 4 take 1 from a then take 1 from all heaps",
    ),
    (
        "board circle(3) move take t from one heap as x
         then take slow from t consecutive heaps starting after x
         move take 2 from one heap as x then take 1 from 2 consecutive heaps ending at x",
        "heaps a b c move take 1 from a then take slow from b
         move take 1 from b then take slow from c move take 1 from c then take slow from a
         move take 2 from a then take slow from one of {b c}
         move take 2 from b then take slow from one of {c a}
         move take 2 from c then take slow from one of {a b}
         move take 3 from one heap then take slow from all heaps
         move take 2 from a then take 1 from one of {c a}
         move take 2 from b then take 1 from one of {a b}
         move take 2 from c then take 1 from one of {b c}",
    ),
    (
        "board grid(2, 2) heaps on vertices move take 1 from one heap as x
         then set all heaps above x to 0 move take 2 from one heap as x
         then set all heaps right of x to 0",
        "heaps a b c d move take 1 from one of a b move take 1 from c then set a to 0
         move take 1 from d then set b to 0 move take 2 from a then set b to 0
         move take 2 from c then set d to 0 move take 2 from one of b d",
    ),
];

#[test]
fn comprehensions_mean_what_is_written_out() {
    for (short, long) in PAIRS {
        let read = |text: &str| {
            let text = format!("game g {text}");
            Game::parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
        };
        let (short, long) = (read(short), read(long));
        let values = |game: &Game| game.grundy_table(4).expect("values").into_codes();
        assert_eq!(values(&short), values(&long), "{}", short.name());
    }
}
