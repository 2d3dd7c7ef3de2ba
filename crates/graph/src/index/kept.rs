//! The stored facts while an index is brought up to date, whatever may be wrong with them.

use std::sync::mpsc::Sender;

use crate::store::facts::{FactsStore, Stored, Trouble};
use crate::store::{Damage, Store, WriterLock};

/// Facts that are stored, as far as they can be read and written.
pub(super) struct Kept<'a> {
    store: Option<&'a Store>,
    lock: Option<&'a WriterLock>,
    extractor: u64,
    /// None where there are none, or none any more.
    facts: Option<FactsStore>,
    warnings: Vec<String>,
}

impl<'a> Kept<'a> {
    /// Opens them: for writing with the lock, else for reading.
    pub(super) fn open(store: Option<&'a Store>, lock: Option<&'a WriterLock>, extractor: u64) -> Self {
        let mut kept = Self { store, lock, extractor, facts: None, warnings: Vec::new() };
        if let Err(trouble) = kept.reopen() {
            kept.mend(trouble);
        }
        kept
    }

    fn reopen(&mut self) -> Result<(), Trouble> {
        let Some(store) = self.store else { return Ok(()) };
        let path = store.facts_path();
        self.facts = if self.lock.is_some() {
            Some(FactsStore::open(&path, self.extractor)?)
        } else {
            // Whoever has the lock may just be making it.
            FactsStore::open_to_read(&path, self.extractor).ok()
        };
        Ok(())
    }

    /// Does what can be done about trouble: damaged facts are set aside, with new ones in their place.
    fn mend(&mut self, trouble: Trouble) {
        self.facts = None;
        match (trouble, self.store, self.lock) {
            (Trouble::Damaged, Some(store), Some(lock)) => {
                self.warnings.push("the stored facts were damaged: they were set aside and made anew".to_owned());
                store.set_aside(lock, Damage::Facts, None);
                if let Err(Trouble::Unusable(why)) = self.reopen() {
                    self.warnings.push(format!("the facts of files cannot be kept: {why}"));
                }
            }
            (Trouble::Damaged, ..) => self.warnings.push("the stored facts are damaged".to_owned()),
            (Trouble::Unusable(why), ..) => self.warnings.push(format!("the facts of files cannot be kept: {why}")),
        }
    }

    /// Asks the store something. Without one, or with trouble, the answer is the one of an empty store.
    pub(super) fn ask<T: Default>(&mut self, question: impl FnOnce(&mut FactsStore) -> Result<T, Trouble>) -> T {
        let Some(facts) = &mut self.facts else { return T::default() };
        match question(facts) {
            Ok(answer) => answer,
            Err(trouble) => {
                self.mend(trouble);
                T::default()
            }
        }
    }

    /// Does work that sends rows, which are written meanwhile.
    pub(super) fn write<T>(&mut self, work: impl FnOnce(Option<&Sender<Stored>>) -> T) -> T {
        let (Some(facts), Some(_)) = (&mut self.facts, self.lock) else { return work(None) };
        let (done, written) = facts.write_while(|keep| work(Some(keep)));
        if let Err(trouble) = written {
            self.mend(trouble);
        }
        done
    }

    /// Closes them, and gives what went wrong.
    pub(super) fn close(mut self) -> Vec<String> {
        if self.lock.is_some()
            && let Some(facts) = self.facts.take()
            && let Err(trouble) = facts.close()
        {
            self.mend(trouble);
        }
        self.warnings
    }
}
