//! Places and coordinates of groups of heaps.

use nimrule_board::symmetry::Symmetries;
use nimrule_model::expr::{Environment, Expr, HeapId, Num};
use nimrule_model::group::Group;
use nimrule_model::source::{Span, Spanned};

fn value(num: &Expr<Num>) -> i64 {
    let symmetries = Symmetries::trivial(0);
    let mut environment = Environment {
        position: &[],
        kinds: &[],
        locals: &mut [],
        picks: &[],
        amounts: &[],
        symmetries: &symmetries,
        steps: 0,
    };
    num.eval(&mut environment).expect("a value")
}

#[test]
fn places_and_coordinates_are_those_of_the_list() {
    let all = || (-1..=2).flat_map(|x| (3..=5).map(move |y| vec![x, y]));
    let groups: [Vec<Vec<i64>>; 3] = [
        all().collect(),
        all().filter(|at| at[0] + at[1] != 4).collect(),
        (2..=6).map(|x| vec![x]).collect(),
    ];
    let span: Span = (0, 0).into();
    let number = |value| Spanned::new(Num::Const(value), span);
    for indices in groups {
        let heaps: Vec<HeapId> = (3..3 + indices.len()).map(HeapId::new).collect();
        let names = vec![None; indices[0].len()];
        let group = Group::new(None, names, heaps.clone(), indices.clone());
        for (heap, at) in heaps.iter().zip(&indices) {
            assert_eq!(group.heap(at), Some(*heap));
            let (list, first, place) = group.at(at.iter().map(|i| number(*i)).collect(), span);
            assert_eq!(list[(value(&place) - first) as usize], *heap);
            for (axis, index) in at.iter().enumerate() {
                let heap = number(heap.index() as i64 + 1);
                let found = group.coordinate(axis, heap, span);
                assert_eq!(value(&Spanned::new(found, span)), *index);
            }
        }
        for wrong in [[0, 4], [0, 6], [3, 3], [-1, 2]] {
            let wrong = &wrong[..indices[0].len()];
            let (list, first, place) = group.at(wrong.iter().map(|i| number(*i)).collect(), span);
            let place = value(&place) - first;
            let found = usize::try_from(place)
                .ok()
                .and_then(|place| list.get(place));
            assert_eq!(found.copied(), group.heap(wrong), "{wrong:?}");
        }
    }
}
