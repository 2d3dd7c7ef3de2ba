//! The one place in this crate that reads files: `--data` folders and grammar libraries.

use std::fs;
use std::path::Path;

use tree_sitter_language::LanguageFn;

use crate::language::Language;
use crate::registry::{Registry, read_description};

impl Registry {
    /// Reads every `grammars/<language>/language.toml` and `queries/<language>/*.scm` below a folder, over what is
    /// compiled in.
    ///
    /// # Errors
    /// Names the file that cannot be read or does not fit its grammar.
    pub fn add_folder(&mut self, data: &Path) -> Result<(), String> {
        let folder = data.join("grammars");
        let entries = fs::read_dir(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path().join("language.toml")).collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            self.add_description(&file.display().to_string(), &read(file)?)?;
        }
        self.add_queries(queries(&data.join("queries"))?)
    }

    /// Loads a user's language: a shared library that exports `tree_sitter_<grammar>`, and a folder with its
    /// `language.toml`.
    ///
    /// The library's code runs in this process: call this only for what the user's own configuration names.
    ///
    /// # Errors
    /// Names the file that cannot be read or loaded, and the symbol that is missing.
    pub fn add_library(&mut self, library: &Path, folder: &Path) -> Result<(), String> {
        let file = folder.join("language.toml");
        let description = read_description(&file.display().to_string(), &read(&file)?)?;
        let shown = library.display();
        let symbol = format!("tree_sitter_{}", description.grammar.replace('-', "_"));
        // SAFETY: the user's configuration names this library as a tree-sitter grammar; its initialisers run
        // with our rights, which is what loading a library means.
        let loaded = unsafe { libloading::Library::new(library) }
            .map_err(|error| format!("cannot load the grammar library `{shown}`: {error}"))?;
        // SAFETY: every tree-sitter grammar exports this symbol with this type.
        let language = unsafe { loaded.get::<unsafe extern "C" fn() -> *const ()>(symbol.as_bytes()) }
            .map(|found| *found)
            .map_err(|_| format!("the grammar library `{shown}` exports no `{symbol}`"))?;
        // The grammar's tables live in the library: it stays loaded for as long as the process.
        std::mem::forget(loaded);
        // SAFETY: the function comes from a grammar, as above.
        let grammar = tree_sitter::Language::new(unsafe { LanguageFn::from_raw(language) });
        let version = grammar.abi_version();
        let known = tree_sitter::MIN_COMPATIBLE_LANGUAGE_VERSION..=tree_sitter::LANGUAGE_VERSION;
        if !known.contains(&version) {
            return Err(format!(
                "the grammar library `{shown}` has version {version} of tree-sitter's tables; {} to {} can be read",
                known.start(),
                known.end()
            ));
        }
        self.add(Language::new(description, grammar)?);
        Ok(())
    }
}

/// The files of queries below a folder, each as language and name without ending, with its text.
fn queries(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for language in fs::read_dir(folder).into_iter().flatten().flatten() {
        for file in fs::read_dir(language.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if let (Some("scm"), Some(stem)) = (path.extension().and_then(|e| e.to_str()), path.file_stem()) {
                let language = language.file_name();
                found.push((format!("{}/{}", language.to_string_lossy(), stem.to_string_lossy()), read(&path)?));
            }
        }
    }
    Ok(found)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()))
}
