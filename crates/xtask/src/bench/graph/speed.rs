//! What the graph costs on real code: as multiples of parsing alone, and beside the tools that are installed here.
//!
//! Machines are small and noisy: each figure is the median of several runs, and what is compared is run in turns. The
//! goals that stand beside are those of the design; nothing here fails for missing one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::corpora::CORPORA;
use crate::run::{Result, create_dir, on_path, output, remove_dir, shown, step, write};

use super::super::cost::{Cost, cost, median};
use super::export::vise_in;

/// What is done to a corpus, and asked of it.
struct Plan {
    corpus: &'static str,
    /// Inside a function.
    body: Edit,
    /// The signature of something that is used everywhere.
    hub: Edit,
    /// The symbol whose callers are asked for.
    asked: &'static str,
    /// As ctags calls the language.
    ctags: &'static str,
}

/// A text in a file, and what takes its place.
struct Edit {
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

const PLANS: [Plan; 2] = [
    Plan {
        corpus: "django",
        body: Edit {
            file: "django/utils/text.py",
            old: "    value = str(value)\n",
            new: "    value = str(value or 0)\n",
        },
        hub: Edit {
            file: "django/urls/base.py",
            old: "    viewname,\n    urlconf=None,\n",
            new: "    viewname,\n    extra=None,\n    urlconf=None,\n",
        },
        asked: "django.utils.text.slugify",
        ctags: "Python",
    },
    Plan {
        corpus: "rust-analyzer",
        body: Edit {
            file: "ra_ap_ide/src/expand_macro.rs",
            old: "    let sema = Semantics::new(db);\n",
            new: "    let sema = Semantics::new(&*db);\n",
        },
        hub: Edit {
            file: "ra_ap_syntax/src/ast.rs",
            old: "    fn syntax(&self) -> &SyntaxNode;\n",
            new: "    fn syntax(&self, extra: usize) -> &SyntaxNode;\n",
        },
        asked: "expand_macro::expand_macro",
        ctags: "Rust",
    },
];

pub(super) fn run(vise: &Path, only: &str, runs: u32) -> Result {
    for plan in PLANS.iter().filter(|plan| plan.corpus.contains(only)) {
        let Some(corpus) = CORPORA.iter().find(|corpus| corpus.name == plan.corpus) else { continue };
        println!("{}: medians of {runs} runs", plan.corpus);
        let bench = Bench::new(vise, plan, &corpus.ready()?, runs)?;
        let indexed = bench.index()?;
        bench.changes()?;
        bench.peers(indexed)?;
    }
    Ok(())
}

/// A copy of a corpus that may be edited, and a place for stores.
struct Bench<'p> {
    vise: &'p Path,
    plan: &'p Plan,
    folder: PathBuf,
    state: PathBuf,
    runs: u32,
}

impl<'p> Bench<'p> {
    fn new(vise: &'p Path, plan: &'p Plan, corpus: &Path, runs: u32) -> Result<Bench<'p>> {
        let scratch = crate::target().join("bench").join("graph").join(plan.corpus);
        remove_dir(&scratch)?;
        create_dir(&scratch)?;
        let folder = scratch.join("tree");
        step(Command::new("cp").arg("-a").arg(corpus).arg(&folder))?;
        // What was written within the last seconds is hashed by every check; a checkout is older than that.
        std::thread::sleep(Duration::from_secs(3));
        Ok(Bench { vise, plan, folder, state: scratch.join("state"), runs })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = vise_in(self.vise, &self.folder, &self.state);
        command.args(words).arg("--root").arg(&self.folder);
        command
    }

    fn forget(&self) -> Result {
        remove_dir(&self.state)?;
        remove_dir(&self.folder.join(".vise"))
    }

    /// A full index beside parsing alone; gives the index's median CPU seconds.
    fn index(&self) -> Result<f64> {
        let (mut parses, mut indexes) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            parses.push(cost(&mut self.command(&["dump", "--parse-only", "."]), Stdio::null())?);
            self.forget()?;
            indexes.push(cost(&mut self.command(&["graph", "index"]), Stdio::null())?);
        }
        let ratio = |of: fn(&Cost) -> f64| {
            let pairs = indexes.iter().zip(&parses);
            median(pairs.map(|(index, parse)| of(index) / of(parse)).collect())
        };
        let middle = |costs: &[Cost], of: fn(&Cost) -> f64| median(costs.iter().map(of).collect());
        let indexed = middle(&indexes, |cost| cost.cpu);
        row("parsing alone", &seconds(middle(&parses, |cost| cost.cpu)), "");
        let times = ratio(|cost| cost.cpu);
        row("full index", &seconds(indexed), &format!("{times:.2} × parsing (goal 2.5)"));
        let (wall, times) = (middle(&indexes, |cost| cost.wall), ratio(|cost| cost.wall));
        row("  in wall time", &seconds(wall), &format!("{times:.2} × parsing"));
        row("  memory", &megabytes(median(indexes.iter().map(memory).collect())), "goal 250 MB");
        let bytes = size_of(&self.state)? + size_of(&self.folder.join(".vise"))?;
        row("  on disk", &megabytes(number(bytes)), "goal 25 MB");
        Ok(indexed)
    }

    /// Index again, after nothing, an edited body, an edited signature; and a question to a new process.
    fn changes(&self) -> Result {
        let index = || cost(&mut self.command(&["graph", "index"]), Stdio::null());
        let unchanged = self.repeated(index)?;
        row("nothing changed", &milliseconds(unchanged), "goal 50 ms");
        for (what, edit, goal) in [
            ("a body changed", &self.plan.body, "goal 30 ms"),
            ("a hub's signature changed", &self.plan.hub, "reported apart"),
        ] {
            let file = self.folder.join(edit.file);
            let old = std::fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
            let new = old.replacen(edit.old, edit.new, 1);
            if new == old {
                return Err(format!("`{}` has changed: it does not hold the text to edit", edit.file));
            }
            let mut times = Vec::new();
            for run in 0..self.runs {
                write(&file, if run % 2 == 0 { &new } else { &old })?;
                times.push(index()?.wall);
            }
            row(what, &milliseconds(median(times)), goal);
            write(&file, &old)?;
            index()?;
        }
        // An edit of a moment ago is hashed by each check; only then is the check the usual one.
        std::thread::sleep(Duration::from_secs(3));
        index()?;
        let ask = || cost(&mut self.command(&["graph", "callers", self.plan.asked, "--json"]), Stdio::null());
        row("a question, cold", &milliseconds(self.repeated(ask)?), "goal 25 ms");
        Ok(())
    }

    fn repeated(&self, run: impl Fn() -> Result<Cost>) -> Result<f64> {
        let costs = (0..self.runs).map(|_| run()).collect::<Result<Vec<_>>>()?;
        Ok(median(costs.iter().map(|cost| cost.wall).collect()))
    }

    /// The tools that are on PATH. The slow ones run once.
    fn peers(&self, ours: f64) -> Result {
        let scratch = self.state.with_file_name("peers");
        remove_dir(&scratch)?;
        create_dir(&scratch)?;
        let folder = self.folder.display().to_string();
        let tags = scratch.join("tags").display().to_string();
        let languages = format!("--languages={}", self.plan.ctags);
        let store = scratch.join("crg").display().to_string();
        let peers: [(&str, Vec<&str>, u32, PathBuf); 3] = [
            ("ctags", vec!["-R", &languages, "-f", &tags, &folder], self.runs, PathBuf::from(&tags)),
            ("codegraph", vec!["init", "--yes", &folder], 1, self.folder.join(".codegraph")),
            ("code-review-graph", vec!["build", "--repo", &folder, "--data-dir", &store], 1, PathBuf::from(&store)),
        ];
        for (name, words, runs, store) in peers {
            let Some(program) = on_path(name) else {
                row(name, "-", "not on PATH");
                continue;
            };
            let version = output(Command::new(&program).arg("--version")).unwrap_or_default();
            let version = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            let mut costs = Vec::new();
            for _ in 0..runs {
                remove_dir(&self.folder.join(".codegraph"))?;
                let mut command = Command::new(&program);
                command.args(&words).current_dir(&self.folder).env("DO_NOT_TRACK", "1");
                match cost(&mut command, Stdio::null()) {
                    Ok(cost) => costs.push(cost),
                    Err(message) => {
                        row(name, "-", &message);
                        break;
                    }
                }
                eprintln!("$ {}", shown(&command));
            }
            if costs.is_empty() {
                continue;
            }
            let cpu = median(costs.iter().map(|cost| cost.cpu).collect());
            let memory = megabytes(median(costs.iter().map(memory).collect()));
            let disk = megabytes(number(size_of(&store)?));
            let version = version.unwrap_or_default().trim_end_matches(',').to_string();
            row(
                &format!("{name} {version}"),
                &seconds(cpu),
                &format!("{:.2} × ours, {memory}, {disk} on disk", cpu / ours),
            );
            remove_dir(&self.folder.join(".codegraph"))?;
        }
        Ok(())
    }
}

fn row(what: &str, value: &str, remark: &str) {
    println!("  {what:<26} {value:>12}  {remark}");
}

fn seconds(value: f64) -> String {
    format!("{value:.2} s")
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1000.0)
}

fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}

fn memory(cost: &Cost) -> f64 {
    number(cost.memory)
}

#[expect(clippy::cast_precision_loss, reason = "bytes of files and memory are far below 2^52")]
fn number(bytes: u64) -> f64 {
    bytes as f64
}

/// The bytes of a file, or of all files below a folder; none where it is not there.
fn size_of(path: &Path) -> Result<u64> {
    let Ok(metadata) = std::fs::symlink_metadata(path) else { return Ok(0) };
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    crate::corpora::entries(path)?.iter().map(|entry| size_of(entry)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_added_up() {
        let folder = std::env::temp_dir().join(format!("xtask-sizes-{}", std::process::id()));
        write(&folder.join("a/b"), "12345").unwrap();
        write(&folder.join("c"), "1").unwrap();
        assert_eq!(size_of(&folder).unwrap(), 6);
        assert_eq!(size_of(&folder.join("nothing")).unwrap(), 0);
        remove_dir(&folder).unwrap();
    }

    #[test]
    fn every_plan_names_a_corpus() {
        for plan in &PLANS {
            assert!(CORPORA.iter().any(|corpus| corpus.name == plan.corpus), "{}", plan.corpus);
        }
    }
}
