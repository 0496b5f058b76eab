//! Buffers in ordinary and in huge pages.

use nimrule_kernels::arena::{Arena, LARGE};

#[test]
fn small_and_large_buffers_hold_their_words() {
    for len in [0, 1, 1000, LARGE / 4 + 3] {
        let mut arena: Arena<u32> = Arena::new(len);
        assert!(arena.words().len() == len && arena.words().iter().all(|word| *word == 0));
        for (number, word) in arena.words_mut().iter_mut().enumerate() {
            *word = number as u32;
        }
        let mut words = arena.words().iter().enumerate();
        assert!(words.all(|(number, word)| *word == number as u32));
    }
}
