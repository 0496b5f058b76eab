//! Memo tables: results by the arguments that they were computed from.
//!
//! There is no iteration over the entries, so that no order depends on a hash.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A memo table; with `()` for the values, a set.
#[derive(Debug, Clone)]
pub struct Memo<K, V> {
    results: FxHashMap<K, V>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo {
            results: FxHashMap::default(),
        }
    }
}

impl<K: Eq + Hash, V> Memo<K, V> {
    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.results.get(key)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        self.results.insert(key, value);
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// An estimate of the bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.len() * 2 * (size_of::<(K, V)>() + 1)
    }
}

impl<K: Eq + Hash> Memo<K, ()> {
    /// Adds a key, and returns whether it is new.
    pub fn add(&mut self, key: K) -> bool {
        self.results.insert(key, ()).is_none()
    }
}

impl<K: Eq + Hash, V: Copy> Memo<K, V> {
    /// The value of a key, which is computed and stored if there is none.
    pub fn or_insert_with(&mut self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some(value) = self.get(&key) {
            return *value;
        }
        let value = compute();
        self.insert(key, value);
        value
    }
}
