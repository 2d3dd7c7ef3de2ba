//! Globs on names and paths: `*`, `?`, and on paths `**`.

/// A list of globs.
#[derive(Debug, Default)]
pub(crate) struct Globs(Vec<String>);

impl Globs {
    /// Takes the globs as they stand in a language file.
    pub(crate) fn new(globs: &[String]) -> Self {
        Self(globs.to_vec())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them fits a name.
    pub(crate) fn fit_name(&self, name: &str) -> bool {
        self.0.iter().any(|glob| fits(glob.as_bytes(), name.as_bytes()))
    }

    /// Whether one of them fits a path; one without a slash is about the file's name.
    pub(crate) fn fit_path(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.0.iter().any(|glob| fits(glob.as_bytes(), if glob.contains('/') { path } else { name }.as_bytes()))
    }
}

/// Recurses on the stars of the glob, of which there are few.
fn fits(glob: &[u8], text: &[u8]) -> bool {
    if let Some(rest) = glob.strip_prefix(b"**/") {
        let starts =
            std::iter::once(0).chain(text.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| at + 1));
        return starts.into_iter().any(|at| fits(rest, &text[at..]));
    }
    if let Some(rest) = glob.strip_prefix(b"**") {
        return (0..=text.len()).any(|at| fits(rest, &text[at..]));
    }
    match (glob.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            let end = text.iter().position(|b| *b == b'/').unwrap_or(text.len());
            (0..=end).any(|at| fits(rest, &text[at..]))
        }
        (Some((b'?', rest)), Some((b, text))) => *b != b'/' && fits(rest, text),
        (Some((a, rest)), Some((b, text))) => a == b && fits(rest, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_names_and_paths() {
        let globs = |list: &[&str]| Globs::new(&list.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(globs(&["test_*.py"]).fit_path("a/b/test_x.py"));
        assert!(!globs(&["test_*.py"]).fit_path("a/test_x/b.py"));
        assert!(globs(&["**/tests/**"]).fit_path("tests/a.py"));
        assert!(globs(&["**/tests/**"]).fit_path("x/tests/y/a.py"));
        assert!(!globs(&["**/tests/**"]).fit_path("x/mytests/a.py"));
        assert!(globs(&["src/*.rs"]).fit_path("src/a.rs"));
        assert!(!globs(&["src/*.rs"]).fit_path("src/a/b.rs"));
        assert!(globs(&["__*__", "main"]).fit_name("__init__"));
        assert!(!globs(&["__*__", "main"]).fit_name("__init"));
        assert!(globs(&["test?"]).fit_name("test1"));
    }
}
