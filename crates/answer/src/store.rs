//! Where proofs are kept between questions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store of proofs: a folder, the memory of a process, or nothing.
///
/// What is stored only saves time. A proof that is read is checked again, and one that cannot be
/// written is found again. That no proof was found of a claim is not checked: it makes an answer
/// weaker, never false.
pub trait Store {
    /// Whether there is something under a name.
    fn has(&self, name: &str) -> bool;

    /// The bytes under a name; `None` if there are none.
    ///
    /// # Errors
    ///
    /// Why they cannot be read, in words.
    fn load(&self, name: &str) -> Result<Option<Vec<u8>>, String>;

    /// Stores bytes under a name, in place of those that are there.
    ///
    /// # Errors
    ///
    /// Why they cannot be written, in words.
    fn save(&self, name: &str, bytes: &[u8]) -> Result<(), String>;

    /// The place of a name, for a person to find it.
    fn place(&self, name: &str) -> String;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoStore;

impl Store for NoStore {
    fn has(&self, _name: &str) -> bool {
        false
    }

    fn load(&self, _name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }

    fn save(&self, _name: &str, _bytes: &[u8]) -> Result<(), String> {
        Ok(())
    }

    fn place(&self, _name: &str) -> String {
        String::new()
    }
}

/// Keeps proofs as long as one of its clones lives; they share what they keep.
///
/// # Examples
///
/// ```
/// use nimrule_answer::{MemoryStore, Store};
///
/// let store = MemoryStore::default();
/// store.clone().save("nim", b"proof").expect("memory can be written");
/// assert_eq!(store.load("nim"), Ok(Some(b"proof".to_vec())));
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl MemoryStore {
    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn has(&self, name: &str) -> bool {
        self.kept().contains_key(name)
    }

    fn load(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.kept().get(name).cloned())
    }

    fn save(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.kept().insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn place(&self, name: &str) -> String {
        format!("the memory of this process, {name}")
    }
}
