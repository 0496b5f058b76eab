//! What has been worked out already, looked up by what it was worked out of.
//!
//! A hash table that is asked for single entries only, so that no order can
//! depend on it.

use rustc_hash::FxHashMap;
use std::hash::Hash;

#[derive(Debug, Clone)]
pub struct Known<K, V> {
    known: FxHashMap<K, V>,
}

impl<K, V> Default for Known<K, V> {
    fn default() -> Known<K, V> {
        Known {
            known: FxHashMap::default(),
        }
    }
}

impl<K: Eq + Hash, V> Known<K, V> {
    pub fn get(&self, key: &K) -> Option<&V> {
        self.known.get(key)
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.known.insert(key, value);
    }

    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// The bytes that it holds, about.
    pub fn bytes(&self) -> usize {
        self.count() * 2 * (size_of::<(K, V)>() + 1)
    }
}

impl<K: Eq + Hash> Known<K, ()> {
    /// Keeps the key, and says whether it is a new one.
    pub fn adds(&mut self, key: K) -> bool {
        self.known.insert(key, ()).is_none()
    }
}

impl<K: Eq + Hash, V: Copy> Known<K, V> {
    /// The value, made first where it is not known.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(value) = self.get(&key) {
            return *value;
        }
        let value = make();
        self.insert(key, value);
        value
    }
}
