//! What can be asked in a workspace at all: of each kind of file that is there, the servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::preset::{NoServer, Selection, ServerSpec, Surroundings, extension, select};

/// The files of one ending, and who serves them.
#[derive(Debug, Clone)]
pub struct Served<'s> {
    /// The ending, with its dot and in lower case.
    pub extension: String,
    /// How many files have it.
    pub files: usize,
    /// One of them: the one that is nearest to the workspace's root.
    pub sample: PathBuf,
    /// The servers for that one, or why there is none.
    pub servers: Result<Selection<'s>, NoServer>,
}

/// Says who serves the files of a workspace, by their endings. Endings that no server claims are left out.
pub fn survey<'s>(
    specs: &'s [ServerSpec],
    files: impl IntoIterator<Item = PathBuf>,
    workspace: &Path,
    around: &dyn Surroundings,
) -> Vec<Served<'s>> {
    let mut endings: BTreeMap<String, (usize, PathBuf)> = BTreeMap::new();
    for file in files {
        let Some(ending) = extension(&file) else { continue };
        if !specs.iter().any(|spec| spec.enabled && spec.extensions.contains_key(&ending)) {
            continue;
        }
        let depth = |path: &Path| path.components().count();
        let (count, sample) = endings.entry(ending).or_insert_with(|| (0, file.clone()));
        *count += 1;
        if (depth(&file), &file) < (depth(sample), &*sample) {
            *sample = file;
        }
    }
    let served = |(extension, (files, sample)): (String, (usize, PathBuf))| {
        let servers = select(specs, &sample, workspace, around);
        Served { extension, files, sample, servers }
    };
    endings.into_iter().map(served).collect()
}
