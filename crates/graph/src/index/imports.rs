//! Keeping other programs' indexes beside the facts.

use std::path::Path;

use super::{Error, Options};
use crate::store::Store;
use crate::store::facts::{FactsStore, Trouble};
use crate::store::pack::pack;
use crate::tier::{ImportedFile, TierRow};

/// Keeps what a tool says of files of the workspace at `root`, in the place of what it said of them before. The next
/// opening makes a generation that knows.
///
/// # Errors
/// Where it cannot be kept, or somebody else writes for too long. Then everything is as it was.
pub fn add_import(
    root: &Path,
    options: &Options,
    (tool, version): (&str, &str),
    files: &[ImportedFile],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let row = |file: &ImportedFile| {
        let packed =
            pack(&file.uses, &file.hash).ok_or_else(|| Error::Store("there is too little memory".to_owned()))?;
        let (path, hash) = (file.path.clone(), file.hash);
        Ok(TierRow { path, hash, tool: tool.to_owned(), version: version.to_owned(), packed })
    };
    let rows: Vec<TierRow> = files.iter().map(row).collect::<Result<_, Error>>()?;
    change(root, options, cancelled, |facts| facts.add_tier(&rows))
}

/// Forgets what a tool said; gives the number of files that it spoke of.
///
/// # Errors
/// As those of [`add_import`].
pub fn remove_import(root: &Path, options: &Options, tool: &str, cancelled: &dyn Fn() -> bool) -> Result<usize, Error> {
    change(root, options, cancelled, |facts| facts.remove_tier(tool))
}

/// Changes what is imported, alone.
fn change<T>(
    root: &Path,
    options: &Options,
    cancelled: &dyn Fn() -> bool,
    work: impl FnOnce(&mut FactsStore) -> Result<T, Trouble>,
) -> Result<T, Error> {
    let failed = |why: std::io::Error| Error::Store(why.to_string());
    let root = vise_workspace::discover_root(root, Some(Path::new("")))?;
    let cache_home = options.cache_home.as_deref().ok_or_else(|| Error::Store("nothing is kept".to_owned()))?;
    let store = Store::open(cache_home, &root).map_err(failed)?;
    let lock = store.lock(options.lock_wait, cancelled).map_err(failed)?;
    if cancelled() {
        return Err(Error::Cancelled);
    }
    let lock = lock.ok_or_else(|| Error::Store("another process is writing the index".to_owned()))?;
    let trouble = |trouble| match trouble {
        Trouble::Damaged => Error::Store("the stored facts are damaged".to_owned()),
        Trouble::Unusable(why) => Error::Store(why),
    };
    let mut facts = FactsStore::open(&store.facts_path(), options.extractor).map_err(trouble)?;
    store.change_tiers(&lock).map_err(failed)?;
    let done = work(&mut facts).map_err(trouble)?;
    facts.close().map_err(trouble)?;
    Ok(done)
}
