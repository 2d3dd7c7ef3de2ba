//! What git says of a checkout.
//!
//! Git is only asked: with options that keep a checkout from running code of its own (`core.fsmonitor`, external diffs,
//! text conversions), without locks that would disturb a git at work, and without the variables by which an enclosing
//! git (a hook, a rebase) points at its own repository.

use crate::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// A file of the working tree that differs from a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitChange {
    /// Relative to the root, with `/`. What is not UTF-8 shows as U+FFFD.
    pub file: String,
    /// Which of its lines.
    pub lines: GitLines,
}

/// The lines of a file that differ, as they are in the working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitLines {
    /// All of them: the revision has no such file.
    New,
    /// First and last line of each stretch, from 1; lines that hold nothing but white space do not count. Where lines
    /// are gone the line before them stands for them.
    Some(Vec<(u32, u32)>),
}

/// Variables that lead git to another repository, or change the form of a diff.
const LEADING: [&str; 17] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
];

/// The files at and below `root` that differ from a revision (from `HEAD` if none is given), by path; files that git
/// does not know yet, and does not ignore, are new. Deleted files are not listed.
pub fn git_changes(root: &Path, revision: Option<&str>) -> Result<Vec<GitChange>, Error> {
    if let Err(why) = git(root, &["rev-parse", "--is-inside-work-tree"])? {
        // It also refuses checkouts that belong to somebody else, and says what to do about that.
        return Err(match why.contains("not a git repository") {
            true => Error::NotACheckout(root.to_owned()),
            false => Error::GitFailed { what: "rev-parse".to_owned(), why },
        });
    }
    let commit = format!("{}^{{commit}}", revision.unwrap_or("HEAD"));
    let known = git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    let mut changes = match (known, revision) {
        (Err(_), Some(revision)) => return Err(Error::NoRevision(revision.to_owned())),
        // Without a commit everything is new.
        (Err(_), None) => listed(root, &["ls-files", "-z", "--cached"])?,
        (Ok(id), _) => {
            let id = String::from_utf8_lossy(&id);
            let diff = said(
                root,
                &[
                    "diff",
                    "--no-ext-diff",
                    "--no-textconv",
                    "--no-color",
                    "--unified=0",
                    "--inter-hunk-context=0",
                    "--find-renames",
                    "--ignore-submodules=all",
                    "--relative",
                    "--src-prefix=a/",
                    "--dst-prefix=b/",
                    "--end-of-options",
                    id.trim(),
                    "--",
                ],
            )?;
            changes_of(&diff)
        }
    };
    changes.extend(listed(root, &["ls-files", "-z", "--others", "--exclude-standard"])?);
    changes.sort_by(|a, b| a.file.as_bytes().cmp(b.file.as_bytes()));
    changes.dedup_by(|a, b| a.file == b.file);
    Ok(changes)
}

/// The content of a file below `root` at `HEAD`; none where it is not in there, or there is no commit or no checkout.
///
/// # Errors
/// When there is no git to ask.
pub fn git_head(root: &Path, file: &str) -> Result<Option<Vec<u8>>, Error> {
    // A name that begins so is taken from the current folder, which is the root.
    Ok(git(root, &["cat-file", "--end-of-options", "blob", &format!("HEAD:./{file}")])?.ok())
}

fn listed(root: &Path, arguments: &[&str]) -> Result<Vec<GitChange>, Error> {
    let names = said(root, arguments)?;
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let new = |name: &[u8]| GitChange { file: String::from_utf8_lossy(name).into_owned(), lines: GitLines::New };
    Ok(names.map(new).collect())
}

/// What git prints, where it has to succeed.
fn said(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, Error> {
    git(root, arguments)?.map_err(|why| Error::GitFailed { what: arguments[0].to_owned(), why })
}

/// What git prints, or what it complains of.
fn git(root: &Path, arguments: &[&str]) -> Result<Result<Vec<u8>, String>, Error> {
    let mut command = Command::new("git");
    for name in LEADING {
        command.env_remove(name);
    }
    command.args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"].map(OsStr::new)).args(arguments);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").current_dir(root);
    let output = command.stdin(Stdio::null()).output().map_err(Error::NoGit)?;
    Ok(if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    })
}

/// The files and lines of a diff without context lines.
fn changes_of(diff: &[u8]) -> Vec<GitChange> {
    let mut changes: Vec<GitChange> = Vec::new();
    let mut is_new = false;
    let mut open = false;
    let mut lines = diff.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if line.starts_with(b"diff --git ") {
            (is_new, open) = (false, false);
        } else if line.starts_with(b"new file mode ") {
            is_new = true;
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            if let Some(file) = file_of(name) {
                let lines = if is_new { GitLines::New } else { GitLines::Some(Vec::new()) };
                changes.push(GitChange { file, lines });
                open = true;
            }
        } else if let Some(hunk) = line.strip_prefix(b"@@ ").and_then(Hunk::read) {
            // The body is counted, so that a line of it is never taken for a header.
            let stretches = hunk.stretches(&mut lines);
            if open && let Some(GitChange { lines: GitLines::Some(all), .. }) = changes.last_mut() {
                all.extend(stretches);
            }
        }
    }
    changes
}

/// The path behind `+++ `; none for `/dev/null`.
fn file_of(name: &[u8]) -> Option<String> {
    // Git ends a name that has a space in it with a tab.
    let name = name.strip_suffix(b"\r").unwrap_or(name);
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    let name = match name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) {
        Some(quoted) => unquoted(quoted),
        None => name.to_vec(),
    };
    name.strip_prefix(b"b/").map(|name| String::from_utf8_lossy(name).into_owned())
}

/// A name as it was before git put it between quotes, as C would.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let octal = rest.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)));
        if let Some(digits) = octal {
            out.push(digits.iter().fold(0u8, |sum, digit| sum.wrapping_mul(8).wrapping_add(digit - b'0')));
            rest = &rest[3..];
        } else if let Some((&escaped, after)) = rest.split_first() {
            out.push(match escaped {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            });
            rest = after;
        }
    }
    out
}

/// `-a,b +c,d @@`.
struct Hunk {
    old_lines: u32,
    new_start: u32,
    new_lines: u32,
}

impl Hunk {
    fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text.split(|byte| *byte == b'@').next()?).ok()?;
        let (old, new) = text.trim().split_once(' ')?;
        let pair = |text: &str| -> Option<(u32, u32)> {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let (_, old_lines) = pair(old.strip_prefix('-')?)?;
        let (new_start, new_lines) = pair(new.strip_prefix('+')?)?;
        Some(Self { old_lines, new_start, new_lines })
    }

    /// Reads the body, and gives the stretches of lines that count.
    fn stretches<'l>(&self, lines: &mut impl Iterator<Item = &'l [u8]>) -> Vec<(u32, u32)> {
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        let (mut old, mut new) = (0, 0);
        let mut told = false;
        while old < self.old_lines || new < self.new_lines {
            let Some(line) = lines.next() else { break };
            let (sign, text) = line.split_first().map_or((b' ', line), |(sign, text)| (*sign, text));
            let counts = !text.trim_ascii().is_empty();
            match sign {
                b'-' => {
                    old += 1;
                    told |= counts;
                }
                b'+' => {
                    let at = self.new_start + new;
                    new += 1;
                    match stretches.last_mut() {
                        _ if !counts => {}
                        Some((_, last)) if *last + 1 == at => *last = at,
                        _ => stretches.push((at, at)),
                    }
                }
                // `\ No newline at end of file`.
                _ => {}
            }
        }
        if stretches.is_empty() && told {
            let start = self.new_start.max(1);
            stretches.push((start, start + self.new_lines.saturating_sub(1)));
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_diff_is_read_by_its_counts() {
        let diff = b"diff --git a/x y.py b/x y.py\n--- a/x y.py\t\n+++ b/x y.py\t\n@@ -1 +1,2 @@ def f\n-a\n+++ b/no.py\n+b\n\
            @@ -9,2 +10,0 @@\n-x\n-y\n@@ -20,0 +19,4 @@\n+\n+def g():\n+\n+    pass\n@@ -30,2 +31,0 @@\n-\n-  \n\
            diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\
            diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ \"b/n\\303\\244\\t\\\".py\"\n@@ -0,0 +1 @@\n+a\n\
            \\ No newline at end of file\n";
        assert_eq!(
            changes_of(diff),
            [
                GitChange { file: "x y.py".into(), lines: GitLines::Some(vec![(1, 2), (10, 10), (20, 20), (22, 22)]) },
                GitChange { file: "n\u{e4}\t\".py".into(), lines: GitLines::New },
            ]
        );
        assert_eq!(changes_of(b""), []);
    }

    fn run(root: &Path, arguments: &[&str]) {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"];
        let mut command = Command::new("git");
        command.args(settings).args(arguments).current_dir(root).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    }

    #[test]
    fn a_checkout_and_what_changed_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        assert!(matches!(git_changes(&root, None), Err(Error::NotACheckout(_))));
        run(&root, &["init", "-q"]);
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/a.py"), "one\ntwo\nthree\n").unwrap();
        fs::write(root.join("b.py"), "one\n").unwrap();
        let new = |file: &str| GitChange { file: file.to_owned(), lines: GitLines::New };
        run(&root, &["add", "b.py"]);
        assert_eq!(git_changes(&root, None).unwrap(), [new("b.py"), new("sub/a.py")]);
        run(&root, &["add", "."]);
        run(&root, &["commit", "-q", "-m", "one"]);
        assert_eq!(git_changes(&root, None).unwrap(), []);
        fs::write(root.join("sub/a.py"), "one\nTWO\nthree\n").unwrap();
        fs::write(root.join("sub/c.py"), "new\n").unwrap();
        fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        fs::write(root.join("x.log"), "\n").unwrap();
        fs::remove_file(root.join("b.py")).unwrap();
        let changed = GitChange { file: "sub/a.py".to_owned(), lines: GitLines::Some(vec![(2, 2)]) };
        assert_eq!(git_changes(&root, Some("HEAD")).unwrap(), [new(".gitignore"), changed, new("sub/c.py")]);
        // Of a folder inside the checkout the paths are its own.
        let changed = GitChange { file: "a.py".to_owned(), lines: GitLines::Some(vec![(2, 2)]) };
        assert_eq!(git_changes(&root.join("sub"), None).unwrap(), [changed, new("c.py")]);
        assert!(matches!(git_changes(&root, Some("--output=x")), Err(Error::NoRevision(_))));
        assert!(!root.join("x").exists());
    }
}
