//! Opening an index: is the stored generation true, and if not, the way to a new one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::Registry;
use vise_text::lossy;
use vise_workspace::{ReadOptions, WalkOptions, read};

use super::check::{Checked, check};
use super::examine::{Also, Examined, Examiner};
use super::kept::Kept;
use super::survey::{Look, Surveyor};
use super::tree::{FileEntry, Tiers, Tree, Why, name};
use super::{Error, Opened, Options, Question, Report, Skipped, Steps, project};
use crate::facts::FileFacts;
use crate::graph::{BuiltFile, Graph};
use crate::source::{ProjectFile, SourceFile};
use crate::store::pack::unpack;
use crate::store::{Current, Damage, Store, Unreadable, WriterLock, now};
use crate::tier::{self, TierRow};

/// How often somebody else may write a newer generation while we read.
const ATTEMPTS: usize = 4;

/// An index while it is being opened.
pub(super) struct Index<'a> {
    pub(super) root: PathBuf,
    pub(super) options: &'a Options,
    pub(super) fingerprint: u64,
    pub(super) walk: WalkOptions,
    pub(super) registry: &'a Registry,
    pub(super) steps: &'a Steps<'a>,
    pub(super) progress: &'a (dyn Fn(usize, usize) + Sync),
    pub(super) cancelled: &'a (dyn Fn() -> bool + Sync),
    /// None where nothing can be kept.
    pub(super) store: Option<Store>,
    pub(super) warnings: Vec<String>,
}

/// What is stored, and how much of it holds.
struct Known {
    current: Option<Current>,
    tree: Tree,
    checked: Checked,
    /// The time before the check.
    recorded: i64,
    damage: Option<Damage>,
    /// The store's number for what is imported.
    tiers: u64,
}

impl Known {
    /// Whether the stored generation is true.
    fn is_fresh(&self) -> bool {
        self.current.is_some() && self.damage.is_none() && self.same_tiers() && self.checked.is_fresh()
    }

    /// Whether the stored generation knows what is imported.
    fn same_tiers(&self) -> bool {
        self.tree.tiers.stamp == self.tiers
    }
}

impl Index<'_> {
    pub(super) fn open(mut self) -> Result<Opened, Error> {
        self.open_store();
        let mut known = self.known();
        for _ in 0..ATTEMPTS {
            if !known.is_fresh() {
                break;
            }
            match self.stored_graph(known.current) {
                Ok(graph) => {
                    self.store.iter().for_each(Store::touch);
                    return Ok(self.opened(graph, &known.tree, known.current, Report::default()));
                }
                Err(Unreadable::Gone) => known = self.known(),
                Err(Unreadable::Damaged) => known.damage = Some(Damage::Graph),
            }
        }
        self.refresh(known)
    }

    /// Opens the store, if there is to be one.
    fn open_store(&mut self) {
        if let Some(cache_home) = &self.options.cache_home {
            match Store::open(cache_home, &self.root) {
                Ok(store) => self.store = Some(store),
                Err(error) => self.warnings.push(not_kept(&cache_home.join("vise/graph"), &error.to_string())),
            }
        }
    }

    /// What the files say, for a question that no generation answers. Nothing is written: whoever wants what changed to
    /// be kept opens the index first.
    pub(super) fn facts(mut self, question: &mut Question<'_>) -> Result<Vec<String>, Error> {
        self.open_store();
        let known = self.known();
        let mut kept = Kept::open(self.store.as_ref(), None, self.options.extractor);
        let survey = self.surveyor(known.recorded).survey(known.tree, &known.checked)?;
        let mut tree = survey.tree;
        let fresh = self.look_at(&mut tree, survey.looks, known.recorded, &mut kept)?;
        let facts = self.all_facts(&mut tree, fresh, known.recorded, &mut kept, &mut Report::default())?;
        let (sources, projects) = (self.sources(&tree, facts), self.projects(&tree));
        question(&sources, &projects);
        Ok(self.warnings.into_iter().chain(kept.close()).collect())
    }

    /// Reads what is stored and checks it. Without a store nothing is known.
    fn known(&self) -> Known {
        let recorded = now();
        let tiers = self.store.as_ref().map_or(0, Store::tiers);
        let (mut current, mut tree, mut damage) = (None, None, None);
        for _ in 0..ATTEMPTS {
            let Some(store) = &self.store else { break };
            match store.current() {
                Ok(found) => current = Some(found),
                Err(Unreadable::Gone) => break,
                Err(Unreadable::Damaged) => {
                    damage = Some(Damage::Current);
                    break;
                }
            }
            let bytes = current.map_or(Err(Unreadable::Gone), |current| store.tree(current));
            match bytes.map(|bytes| Tree::from_bytes(&bytes)) {
                Ok(Some(found)) => {
                    // With other options the files may be the same, but which there are is not known.
                    tree = Some(found).filter(|found| found.fingerprint == self.fingerprint);
                    damage = None;
                    break;
                }
                // Somebody wrote a newer one, so `CURRENT` is another by now; or else it leads nowhere.
                Err(Unreadable::Gone) => damage = Some(Damage::Current),
                Ok(None) | Err(Unreadable::Damaged) => {
                    damage = Some(Damage::Tree);
                    break;
                }
            }
        }
        let current = current.filter(|_| tree.is_some());
        let tree = tree.unwrap_or_default();
        let checked = check(&self.root, &tree, self.options.no_ignore);
        Known { current, tree, checked, recorded, damage, tiers }
    }

    fn stored_graph(&self, current: Option<Current>) -> Result<Graph, Unreadable> {
        let (Some(store), Some(current)) = (&self.store, current) else { return Err(Unreadable::Gone) };
        store.graph(current)
    }

    /// Brings the index up to date, and keeps it if nobody else is about to.
    fn refresh(mut self, mut known: Known) -> Result<Opened, Error> {
        let mut lock = self.lock(Duration::ZERO)?;
        if lock.is_none() && self.store.is_some() {
            if let Some((graph, tree)) = self.unchanged(&known)? {
                return Ok(self.opened(graph, &tree, known.current, Report::default()));
            }
            lock = self.lock(self.options.lock_wait)?;
            if lock.is_none() && self.warnings.is_empty() {
                self.warnings.push("another process is writing the index: this answer is not kept".to_owned());
            }
        }
        let moved = self.store.as_ref().is_some_and(|store| store.current().ok() != known.current);
        if moved {
            // Whoever was waited for has done the work, mostly.
            known = self.known();
            if known.is_fresh()
                && let Ok(graph) = self.stored_graph(known.current)
            {
                return Ok(self.opened(graph, &known.tree, known.current, Report::default()));
            }
        }
        let damage = known.damage.map(|damage| self.set_aside(lock.as_ref(), damage));
        self.warnings.extend(damage);
        let mut kept = Kept::open(self.store.as_ref(), lock.as_ref(), self.options.extractor);
        if known.current.is_none() {
            // Without a tree the rows still say what the files were.
            known.tree = self.tree_of(kept.ask(|facts| facts.entries()));
            known.checked = check(&self.root, &known.tree, self.options.no_ignore);
        }
        let before = known.same_tiers().then(|| known.tree.content());
        let old: Vec<String> = known.tree.sources().map(|file| file.path.clone()).collect();

        let survey = self.surveyor(known.recorded).survey(known.tree, &known.checked)?;
        let mut tree = survey.tree;
        self.count(&tree, &survey.looks, old.len())?;
        let fresh = self.look_at(&mut tree, survey.looks, known.recorded, &mut kept)?;
        tree.fingerprint = self.fingerprint;

        let same = known.damage.is_none() && before == Some(tree.content());
        let mut report = Report { parsed: fresh.len(), ..Report::default() };
        let stored = if same { self.stored_graph(known.current) } else { Err(Unreadable::Gone) };
        let damaged = matches!(stored, Err(Unreadable::Damaged));
        let damage = damaged.then(|| self.set_aside(lock.as_ref(), Damage::Graph));
        let (graph, is_new) = match stored {
            Ok(graph) => (graph, false),
            Err(_) => {
                let facts = self.all_facts(&mut tree, fresh, known.recorded, &mut kept, &mut report)?;
                let rows = kept.ask(|facts| facts.tiers());
                tree.tiers = tiers(&rows, &tree, known.tiers);
                (self.graph(&tree, facts, &rows)?, true)
            }
        };
        report.removed = old.iter().filter(|path| tree.file(path).is_none_or(|file| !file.is_source())).count();
        if known.current.is_none() || report.removed > 0 {
            kept.ask(|facts| facts.keep_only(&tree.files));
        }
        let warnings = kept.close();
        self.warnings.extend(warnings.into_iter().chain(damage));
        let current = lock.and_then(|lock| self.publish(&lock, known.current, is_new.then_some(&graph), &tree));
        let current = current.or(known.current.filter(|_| !is_new));
        Ok(self.opened(graph, &tree, current, report))
    }

    /// The right to write; none where there is nothing to write to, or where somebody else keeps it.
    fn lock(&mut self, wait: Duration) -> Result<Option<WriterLock>, Error> {
        let Some(store) = &self.store else { return Ok(None) };
        let lock = store.lock(wait, self.cancelled);
        if (self.cancelled)() {
            return Err(Error::Cancelled);
        }
        lock.or_else(|error| {
            let warning = not_kept(store.folder(), &error.to_string());
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
            Ok(None)
        })
    }

    /// The stored generation, where all that looked changed is the same after all: young, touched, or beside the point.
    fn unchanged(&self, known: &Known) -> Result<Option<(Graph, Tree)>, Error> {
        if known.current.is_none() || known.damage.is_some() || !known.same_tiers() {
            return Ok(None);
        }
        let survey = self.surveyor(known.recorded).survey(known.tree.clone(), &known.checked)?;
        let mut tree = survey.tree;
        // Facts are not asked for: a file that needs them is one that changed.
        let examiner = Examiner { extract: &|_, _, _| Ok(None), progress: &|_, _| {}, ..self.examiner(known.recorded) };
        tree.files.extend(examiner.examine(survey.looks, None)?.into_iter().map(|examined| examined.entry));
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        let graph = if tree.content() == known.tree.content() { self.stored_graph(known.current).ok() } else { None };
        Ok(graph.map(|graph| (graph, tree)))
    }

    /// Moves what is damaged out of the way; without the lock somebody else does. Gives the warning.
    fn set_aside(&self, lock: Option<&WriterLock>, damage: Damage) -> String {
        if let (Some(store), Some(lock)) = (&self.store, lock) {
            store.set_aside(lock, damage, store.current().ok());
        }
        "the stored index was damaged: it was set aside and made anew".to_owned()
    }

    fn surveyor(&self, recorded: i64) -> Surveyor<'_> {
        let Self { root, walk, registry, cancelled, .. } = self;
        Surveyor { root, walk, registry, recorded, cancelled: *cancelled }
    }

    /// A tree of which only the files are known.
    fn tree_of(&self, entries: Vec<FileEntry>) -> Tree {
        let sound = |entry: &FileEntry| {
            entry.skipped.is_none_or(Why::is_lasting) && entry.stamp.size <= self.options.max_file_bytes
        };
        let mut files: Vec<FileEntry> = entries.into_iter().filter(sound).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Tree { files, ..Tree::default() }
    }

    /// Refuses to index more than was meant, unless it was before.
    fn count(&self, tree: &Tree, looks: &[Look], before: usize) -> Result<(), Error> {
        let Options { max_files, yes, .. } = *self.options;
        let is_new = |look: &&Look| self.registry.by_path(Path::new(name(&look.path))).is_some();
        let found = tree.sources().count() + looks.iter().filter(is_new).count();
        if found > max_files && before <= max_files && !yes {
            return Err(Error::TooManyFiles { found, max_files });
        }
        Ok(())
    }

    /// Adds to files of which the tree knows nothing what the store does: an indexing that was stopped leaves rows.
    fn recall(looks: &mut [Look], kept: &mut Kept<'_>) {
        let unknown = looks.iter().filter(|look| look.old.is_none()).map(|look| &*look.path);
        let entries = kept.ask(|facts| facts.entries_of(unknown));
        let mut entries: FxHashMap<String, FileEntry> =
            entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        for look in looks {
            if let Some(entry) = entries.remove(&look.path) {
                look.old = Some(entry);
            }
        }
    }

    fn examiner(&self, recorded: i64) -> Examiner<'_> {
        let Self { root, registry, steps, progress, cancelled, .. } = self;
        let max_file_bytes = self.options.max_file_bytes;
        let also = Also::all(registry);
        Examiner { root, registry, also, extract: steps.extract, max_file_bytes, recorded, progress, cancelled }
    }

    /// Looks at files, and puts them into the tree. Gives the facts of those that were parsed.
    fn look_at(
        &self,
        tree: &mut Tree,
        mut looks: Vec<Look>,
        recorded: i64,
        kept: &mut Kept<'_>,
    ) -> Result<FxHashMap<String, FileFacts>, Error> {
        Self::recall(&mut looks, kept);
        let mut fresh = FxHashMap::default();
        for Examined { entry, facts } in self.examine(looks, recorded, kept)? {
            fresh.extend(facts.map(|facts| (entry.path.clone(), facts)));
            tree.files.push(entry);
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(fresh)
    }

    fn examine(&self, looks: Vec<Look>, recorded: i64, kept: &mut Kept<'_>) -> Result<Vec<Examined>, Error> {
        let examiner = self.examiner(recorded);
        kept.write(|keep| examiner.examine(looks, keep))
    }

    /// The facts of all sources of a tree, in its order: those that are fresh, those that are stored, and where neither
    /// is to be had, those of a second look.
    fn all_facts(
        &self,
        tree: &mut Tree,
        mut fresh: FxHashMap<String, FileFacts>,
        recorded: i64,
        kept: &mut Kept<'_>,
        report: &mut Report,
    ) -> Result<Vec<FileFacts>, Error> {
        if tree.sources().any(|file| !fresh.contains_key(&file.path)) {
            let stored = kept.ask(|facts| {
                let mut found = Vec::new();
                facts.scan(|rows| {
                    let unpacked = rows.into_par_iter().filter_map(|row| {
                        let known = tree.file(&row.entry.path).filter(|known| known.same_content(&row.entry));
                        let known = known.filter(|known| known.is_source() && !fresh.contains_key(&known.path))?;
                        Some((known.path.clone(), unpack(&row.facts?, &known.hash)?))
                    });
                    found.par_extend(unpacked);
                })?;
                Ok(found)
            });
            fresh.extend(stored);
        }
        let missing = tree.sources().filter(|file| !fresh.contains_key(&file.path));
        let looks: Vec<Look> = missing.map(|file| Look { path: file.path.clone(), old: None }).collect();
        if !looks.is_empty() {
            let again: FxHashSet<String> = looks.iter().map(|look| look.path.clone()).collect();
            tree.files.retain(|file| !again.contains(&file.path));
            for Examined { entry, facts } in self.examine(looks, recorded, kept)? {
                report.parsed += usize::from(facts.is_some());
                fresh.extend(facts.map(|facts| (entry.path.clone(), facts)));
                tree.files.push(entry);
            }
            tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Ok(tree.sources().map(|file| fresh.remove(&file.path).unwrap_or_default()).collect())
    }

    /// Resolves the facts of a tree's sources into a graph, with what compilers say put over it.
    fn graph(&self, tree: &Tree, facts: Vec<FileFacts>, rows: &[TierRow]) -> Result<Graph, Error> {
        let (sources, projects) = (self.sources(tree, facts), self.projects(tree));
        let mut resolution = (self.steps.resolve)(&sources, &projects);
        let hash = |source: &SourceFile<'_>| tree.file(&source.path).map_or([0; 32], |file| file.hash);
        let hashes: Vec<[u8; 32]> = sources.iter().map(hash).collect();
        tier::apply(&sources, &hashes, rows, &mut resolution);
        let built = sources.iter().map(|source| BuiltFile {
            path: &source.path,
            language: source.language.name(),
            lines: tree.file(&source.path).map_or(0, |file| file.lines),
            facts: &source.facts,
        });
        let built: Vec<BuiltFile<'_>> = built.collect();
        // On a worker's thread, whose heap has the room that resolving has left.
        let bytes = rayon::scope(|_| Graph::build(&built, &resolution));
        Graph::from_bytes(bytes).map_err(Error::Graph)
    }

    /// The sources of a tree with what they say.
    fn sources(&self, tree: &Tree, facts: Vec<FileFacts>) -> Vec<SourceFile<'_>> {
        let known = tree.sources().zip(facts).filter_map(|(file, facts)| {
            let language = self.registry.by_name(file.language.as_deref()?)?;
            Some(SourceFile { path: file.path.clone(), language, facts })
        });
        known.collect()
    }

    /// The texts that say how the project is put together.
    fn projects(&self, tree: &Tree) -> Vec<ProjectFile> {
        let is_project_file = |file: &&FileEntry| file.skipped.is_none() && project::is_project_file(name(&file.path));
        let options = ReadOptions { max_bytes: self.options.max_file_bytes, named: true };
        let text = |file: &FileEntry| {
            let bytes = read(&self.root.join(&file.path), &options).ok()?;
            Some(ProjectFile { path: file.path.clone(), text: lossy(&bytes) })
        };
        tree.files.iter().filter(is_project_file).filter_map(text).collect()
    }

    /// Keeps what was made. What cannot be kept is an answer all the same.
    fn publish(
        &mut self,
        lock: &WriterLock,
        old: Option<Current>,
        graph: Option<&Graph>,
        tree: &Tree,
    ) -> Option<Current> {
        let store = self.store.as_ref()?;
        match store.publish(lock, old, graph.map(Graph::bytes), &tree.to_bytes()) {
            Ok(current) => {
                store.make_room(self.options.max_store_bytes);
                Some(current)
            }
            Err(error) => {
                self.warnings.push(not_kept(store.folder(), &error.to_string()));
                None
            }
        }
    }

    fn opened(self, graph: Graph, tree: &Tree, current: Option<Current>, report: Report) -> Opened {
        let files = tree.files.iter().filter_map(|file| Some((&file.path, file.skipped?)));
        let unlisted = tree.unlisted.iter().map(|(path, why)| (path, *why));
        let mut skipped: Vec<Skipped> =
            files.chain(unlisted).map(|(path, why)| Skipped { file: path.clone(), why }).collect();
        skipped.sort_by(|a, b| a.file.cmp(&b.file));
        let mut warnings = self.warnings;
        warnings.extend(tree.warnings.iter().cloned());
        Opened {
            graph: Arc::new(graph),
            imports: tree.tiers.tools.clone(),
            warnings,
            skipped,
            report: Report { reused: tree.sources().count().saturating_sub(report.parsed), ..report },
            store_bytes: self.store.as_ref().map_or(0, Store::bytes),
            generation: current.map_or(0, |current| current.graph),
        }
    }
}

/// What rows have to say of a tree.
fn tiers(rows: &[TierRow], tree: &Tree, stamp: u64) -> Tiers {
    let matches = |row: &TierRow| tree.file(&row.path).is_some_and(|file| file.is_source() && file.hash == row.hash);
    Tiers { stamp, tools: tier::tools(rows, matches) }
}

fn not_kept(folder: &Path, why: &str) -> String {
    format!("the index cannot be kept in `{}`: {why}", folder.display())
}
