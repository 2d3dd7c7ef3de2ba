//! Embeds `grammars/*/language.toml` and `queries/*/*.scm` into the library, so that the binary is
//! one file. The folder at the top of the repository wins; a packaged crate carries a copy in `data`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let top = here.join("../..");
    let data = if top.join("grammars").is_dir() { top } else { here.join("data") };

    let mut code = String::from("pub(crate) const LANGUAGES: &[(&str, &str)] = &[\n");
    list(&data.join("grammars"), "toml", &mut code, |path| name_of(path.parent()))?;
    code.push_str("];\npub(crate) const QUERIES: &[(&str, &str)] = &[\n");
    list(&data.join("queries"), "scm", &mut code, |path| {
        format!("{}/{}", name_of(path.parent()), name_of(Some(path)))
    })?;
    code.push_str("];\n");

    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("data.rs");
    fs::write(out, code)
}

fn name_of(path: Option<&Path>) -> String {
    path.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().into_owned()
}

/// One `(key, include_str!(path))` row for each file with this extension, two folders deep, in order.
fn list(folder: &Path, extension: &str, code: &mut String, key: impl Fn(&Path) -> String) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    if !folder.is_dir() {
        return Ok(());
    }
    let mut found = Vec::new();
    for language in fs::read_dir(folder)? {
        let language = language?.path();
        if language.is_dir() {
            println!("cargo::rerun-if-changed={}", language.display());
            for file in fs::read_dir(&language)? {
                let file = file?.path();
                if file.extension().is_some_and(|e| e == extension) {
                    found.push(file.canonicalize()?);
                }
            }
        }
    }
    found.sort();
    for file in found {
        println!("cargo::rerun-if-changed={}", file.display());
        let _ = writeln!(code, "    ({:?}, include_str!({:?})),", key(&file), file.display().to_string());
    }
    Ok(())
}
