//! The sequences of shipped games are named rightly.

use nimrule_answer::Session;
use nimrule_fixtures::shipped;
use nimrule_limits::Limits;
use nimrule_model::game::Convention;
use nimrule_sequence::oeis::matches;

/// A game, the largest heap, a sequence of it and its number in the OEIS.
const NAMED: [(&str, u64, &str, &str); 40] = [
    ("wythoff", 200, "p-smaller", "A000201"),
    ("wythoff", 200, "p-larger", "A001950"),
    ("wythoff", 200, "p-difference", "A001477"),
    ("wythoff_final_set", 200, "p-larger", "A003622"),
    ("wythoff_final_set", 200, "p-smaller", "A022342"),
    ("yama_nim", 40, "p-smaller", "A004526"),
    ("yama_nim", 40, "p-larger", "A110654"),
    ("yama_nim", 40, "p-difference", "A000035"),
    ("yama_nim", 40, "p-by-total", "A000034"),
    ("yama_nim", 40, "p-by-box", "A016777"),
    ("yama_nim", 40, "orbits-by-box", "A005408"),
    ("unbalanced_nim", 40, "p-larger", "A005843"),
    ("unbalanced_nim", 40, "p-by-box", "A109613"),
    ("unbalanced_nim", 40, "orbits-by-box", "A008619"),
    ("delete_nim", 40, "p-by-multiple", "A000027"),
    ("delete_nim", 40, "p-by-total", "A027656"),
    ("delete_nim", 40, "orbits-by-box", "A008805"),
    ("end_nim", 20, "p-by-box", "A000290"),
    ("end_nim", 20, "orbits-by-box", "A002061"),
    ("greedy_nim", 30, "p-by-box", "A005448"),
    ("greedy_nim", 30, "orbits-by-box", "A000124"),
    ("graph_nim", 15, "p-by-box", "A000217"),
    ("lim", 32, "p-by-total", "A048883"),
    ("lim", 32, "orbits-by-total", "A079318"),
    ("nim", 23, "grundy", "A001477"),
    ("nim", 23, "p-by-box", "A241522"),
    ("nim", 23, "p-by-multiple", "A237711"),
    ("welter", 40, "orbits-by-total", "A128975"),
    ("welter", 40, "orbits-by-box", "A363166"),
    ("planar_edge", 20, "p-by-total", "A027656"),
    ("planar_vertex", 30, "p-by-total", "A059841"),
    ("planar_vertex", 30, "p-by-box", "A000027"),
    ("subtraction_range", 40, "grundy", "A010873"),
    ("subtraction_range", 60, "p-heaps", "A008586"),
    ("subtraction_squares", 100, "grundy", "A014586"),
    ("subtraction_squares", 100, "p-heaps", "A030193"),
    ("kayles", 20, "grundy", "A002186"),
    ("dawsons_chess", 20, "grundy", "A002187"),
    ("grundys_game", 20, "grundy", "A002188"),
    ("guiles", 20, "grundy", "A125916"),
];

#[test]
fn sequences_of_shipped_games_have_their_numbers() {
    let mut wrong = Vec::new();
    for (name, most, sequence, number) in NAMED {
        let game = shipped(name, &[]);
        let session = Session::new(&game, Limits::of_memory(1 << 30));
        let found = session.sequences(Convention::Normal, Some(most));
        let found = found.expect("the box is small");
        let one = found.sequences.iter().find(|one| one.name == sequence);
        let best = one.and_then(|one| matches(&one.terms).into_iter().next());
        if best.is_none_or(|best| best.known.number != number) {
            wrong.push(format!("{name} {sequence}: {best:?} instead of {number}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a larger box adds to a sequence only follows: no term changes.
#[test]
fn terms_do_not_depend_on_the_box() {
    for name in ["wythoff", "yama_nim", "euclid", "a_wythoff", "delete_nim"] {
        let game = shipped(name, &[]);
        let session = Session::new(&game, Limits::of_memory(1 << 30));
        let of = |most| {
            session
                .sequences(Convention::Normal, Some(most))
                .expect("a small box")
        };
        for (small, large) in of(17).sequences.iter().zip(of(41).sequences) {
            assert_eq!(small.name, large.name);
            assert!(
                large.terms.starts_with(&small.terms),
                "{name} {}",
                small.name
            );
        }
    }
}
