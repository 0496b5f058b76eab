//! Saved answers of tables, read again.

use nimrule_engine::table_checkpoint::read;
use nimrule_engine::{NO_VALUE, Prefix, Question, TableValues};
use nimrule_kernels::SlabState;

fn saved(first: &Prefix<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    first.save(&mut bytes);
    bytes
}

#[test]
fn outcomes_are_read_as_they_were_saved() {
    for count in 0..10 {
        let values: Vec<u8> = (0..count).map(|place| place * place % 3).collect();
        let bytes = saved(&Prefix::Outcomes(&values));
        let Some(TableValues::Outcomes(back)) = read(Question::Outcome, count.into(), &bytes)
        else {
            panic!("they are outcomes");
        };
        assert_eq!(back, values);
        assert!(read(Question::Outcome, u64::from(count) + 9, &bytes).is_none());
    }
    assert!(read(Question::Outcome, 1, &[3]).is_none());
}

#[test]
fn values_are_read_as_they_were_saved() {
    for values in [
        vec![],
        vec![0, 1, NO_VALUE, 254],
        vec![255, 0],
        vec![NO_VALUE, 65_534, 65_535, 1 << 24],
    ] {
        let bytes = saved(&Prefix::Grundy(&values));
        let count = values.len() as u64;
        let Some(TableValues::Grundy(back)) = read(Question::Grundy, count, &bytes) else {
            panic!("they are values");
        };
        assert_eq!(back, values);
        assert!(read(Question::Grundy, count + 1, &bytes).is_none());
    }
    assert!(read(Question::Grundy, 0, &[]).is_none());
    assert!(read(Question::Grundy, 1, &[9, 0]).is_none());
}
