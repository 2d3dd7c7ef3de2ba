//! Whether an answer is to be believed while the server may still be reading files.
//!
//! Servers that are not ready answer as if they were: with nothing, or with what is in the file that was asked about. So
//! such an answer is compared with the files whose text holds the name as a whole word, and asked for again while other
//! files hold it. That other files hold it proves nothing, hence the limit in time.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The files that hold a word. The caller has an index, or looks.
pub trait Words: Send + Sync {
    /// The files of the workspace, absolute, whose text holds `word` as a whole word.
    fn files_with(&self, word: &str) -> Vec<PathBuf>;
}

/// What is to be thought of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It reaches into other files, so the server knows them.
    FarReaching,
    /// No other file holds the name.
    Local,
    /// So many other files hold the name and are not in it.
    Suspicious(usize),
}

/// Judges an answer that names these files.
pub(crate) fn judge<'a>(
    named: impl IntoIterator<Item = &'a Path>,
    anchor: &Path,
    holding: impl FnOnce() -> Vec<PathBuf>,
) -> Verdict {
    if named.into_iter().any(|path| path != anchor) {
        return Verdict::FarReaching;
    }
    match holding().iter().filter(|path| *path != anchor).count() {
        0 => Verdict::Local,
        others => Verdict::Suspicious(others),
    }
}

/// How long to wait before the answer is asked for the next time: 150 ms, and longer each time, up to a second.
pub(crate) fn pause(attempt: u32) -> Duration {
    Duration::from_millis((150u64 << attempt.min(3)).min(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_judged_by_the_files_that_hold_the_name() {
        let (a, b) = (Path::new("/r/a"), Path::new("/r/b"));
        let holding = |paths: &[&Path]| paths.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>();
        assert_eq!(judge([a, b], a, || panic!("not asked")), Verdict::FarReaching);
        assert_eq!(judge([a], a, || holding(&[a])), Verdict::Local);
        assert_eq!(judge([a], a, || holding(&[a, b])), Verdict::Suspicious(1));
        assert_eq!(judge([], a, || holding(&[])), Verdict::Local);
        assert_eq!(judge([], a, || holding(&[b])), Verdict::Suspicious(1));
    }

    #[test]
    fn pauses_grow_to_a_second() {
        assert_eq!([0, 1, 2, 3, 9].map(|n| pause(n).as_millis()), [150, 300, 600, 1000, 1000]);
    }
}
