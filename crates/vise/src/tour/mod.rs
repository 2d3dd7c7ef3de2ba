//! `vise tour`: the main job, end to end, on a scratch copy of a real checkout.
//!
//! Every step says what it does, does it with the same tools as the commands, and checks that what it says is so; a
//! step that does not hold ends the tour with an error.

mod choices;
mod graph;
mod scratch;
mod servers;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use vise_tools::{
    AstEdit, AstEditReport, AstGrep, AstGrepReport, Decision, ErrorKind, Filters, Input as _, Resolve, Role, Session,
    TextOptions, ToolError, summary_text, text_of,
};

use crate::cli::Global;
use crate::daemon::Remote;
use crate::environment::{Around, configured};
use crate::output::{Failure, Output};
use crate::run::Exit;
use scratch::Scratch;

/// How many lines of a list are shown.
const SHOWN: usize = 8;
/// How many lines of the diff are shown.
const DIFF_LINES: usize = 30;

/// The main job, end to end, on a scratch copy of a checkout: nothing outside of it is touched.
#[derive(Debug, Args)]
pub(crate) struct Tour {
    /// The checkout; by default the one around the current folder
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<std::path::PathBuf>,
}

/// What JSON says of the tour.
#[derive(Debug, Default, Serialize)]
struct Held {
    held: Vec<&'static str>,
}

struct Guide<'o> {
    output: &'o mut Output,
    json: bool,
    held: Held,
}

impl Guide<'_> {
    fn say(&mut self, words: &str) -> io::Result<()> {
        if !self.json {
            self.output.data(words.as_bytes())?;
            self.output.data(b"\n")?;
            self.output.flush()?;
        }
        Ok(())
    }

    fn heading(&mut self, step: &'static str, words: &str) -> io::Result<()> {
        self.held.held.push(step);
        let number = self.held.held.len();
        let heading = self.output.paint.words(Role::Strong, &format!("\n{number}. {words}"));
        self.say(&heading)
    }

    fn command(&mut self, words: &str) -> io::Result<()> {
        let line = self.output.paint.words(Role::Faint, &format!("   $ vise {words}"));
        self.say(&line)
    }

    /// The first lines of a text, indented.
    fn lines(&mut self, text: &str, most: usize) -> io::Result<()> {
        let count = text.lines().count();
        for line in text.lines().take(most) {
            self.say(&format!("   {line}"))?;
        }
        if count > most { self.say(&format!("   … {} more lines", count - most)) } else { Ok(()) }
    }
}

pub(crate) fn run(session: Session, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let json = global.json;
    let mut guide = Guide { output, json, held: Held::default() };
    let scratch = Scratch::new(&session)?;
    let shown = session.root.display().to_string();
    let (root, folder) = (scratch.root.clone(), scratch.root.clone());
    let around = Around { state_home: scratch.state(), cache_home: scratch.cache(), ..Around::ours() };
    let settings = configured(&root, &around, &session.registry)?.settings(&session.registry, &around)?;
    let remote = Arc::new(Remote::new(root.clone(), around, settings, global.data.clone()));
    // The servers of the checkout itself are none of the copy's business.
    let (state_home, cache_home) = (scratch.state(), scratch.cache());
    let session = Session { root, folder, state_home, cache_home, living: None, ..session };
    let outcome = steps(&mut guide, &scratch, &session, &remote, &shown);
    // Also after a step that failed, nothing may be left behind.
    let removed = scratch.remove();
    outcome?;
    removed?;
    guide.say("\nEvery step held. The scratch copy is gone.")?;
    if json {
        let line = serde_json::to_vec(&guide.held).unwrap_or_default();
        guide.output.data(&line)?;
        guide.output.data(b"\n")?;
    }
    Ok(Exit::Found)
}

fn steps(
    guide: &mut Guide<'_>,
    scratch: &Scratch,
    session: &Session,
    remote: &Arc<Remote>,
    shown: &str,
) -> Result<(), Failure> {
    guide.heading("languages", "What is here")?;
    let mut cut = "";
    if scratch.cut {
        cut = ", the first of many";
    }
    guide.say(&format!(
        "   {} source files of {shown} ({} kB){cut}, copied to a scratch checkout: what follows happens there.",
        scratch.files,
        scratch.bytes.div_ceil(1024)
    ))?;
    let languages = languages(scratch, session)?;
    let width = languages.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, files) in languages.iter().take(SHOWN) {
        guide.say(&format!("   {name:<width$} {files:>6} {}", if *files == 1 { "file" } else { "files" }))?;
    }
    if languages.len() > SHOWN {
        guide.say(&format!("   … and {} more languages", languages.len() - SHOWN))?;
    }
    let names: Vec<String> = languages.into_iter().map(|(name, _)| name).collect();
    graph::graph(guide, scratch, session)?;
    servers::servers(guide, scratch, session, remote)?;
    search(guide, scratch, session, &names)?;
    scratch.commit()?;
    rewrite(guide, scratch, session, &names)
}

/// The programming languages of the copy, most files first.
fn languages(scratch: &Scratch, session: &Session) -> Result<Vec<(String, usize)>, ToolError> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in scratch.hashes()?.keys() {
        if let Some(language) = session.registry.by_path(file) {
            *counts.entry(language.name().to_owned()).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    let is_markup = |name: &str| session.registry.by_name(name).is_some_and(|language| language.description.markup);
    counts.sort_by_key(|(name, files)| (is_markup(name), std::cmp::Reverse(*files)));
    Ok(counts)
}

fn search(guide: &mut Guide<'_>, scratch: &Scratch, session: &Session, names: &[String]) -> Result<(), Failure> {
    guide.heading("search", "A shape, with a metavariable that must stand for the same text twice")?;
    let mut found = None;
    for name in names.iter().take(4) {
        found = first_shape(session, name)?;
        if found.is_some() {
            break;
        }
    }
    if found.is_none() {
        let (file, text) = choices::EXAMPLE;
        scratch.write(file, text.as_bytes())?;
        guide.say(&format!("   Nothing of the kind is here, so the copy gets a small file of its own: {file}"))?;
        found = first_shape(session, "python")?;
    }
    let Some((name, (pattern, meaning), report)) = found else {
        return Err(did_not_hold("no search found anything, not even in the example"));
    };
    guide.say(&format!("   `{pattern}`: {meaning}."))?;
    guide.command(&format!("ast-grep '{pattern}' -l {name}"))?;
    let options = TextOptions { paint: guide.output.paint, match_lines: Some(4), ..TextOptions::default() };
    let text: Vec<u8> = text_of(&report.files, &options).concat();
    guide.lines(&String::from_utf8_lossy(&text), SHOWN)?;
    let counts = summary_text(&report.summary, guide.output.paint);
    guide.lines(counts.lines().next().unwrap_or_default(), 1)?;
    Ok(())
}

type FoundShape = (String, choices::Shape, AstGrepReport);

fn first_shape(session: &Session, name: &str) -> Result<Option<FoundShape>, Failure> {
    for shape in choices::shapes(name) {
        let input = AstGrep { pattern: shape.0.to_owned(), filters: filters(name), ..AstGrep::default() };
        match input.run(session) {
            Ok(report) if report.summary.matches > 0 && !report.summary.switched => {
                return Ok(Some((name.to_owned(), shape, report)));
            }
            // A shape that this language does not read, or does not have.
            Ok(_) => {}
            Err(error) if error.kind == ErrorKind::BadInput => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

fn filters(language: &str) -> Filters {
    Filters { lang: vec![language.to_owned()], ..Filters::default() }
}

fn rewrite(guide: &mut Guide<'_>, scratch: &Scratch, session: &Session, names: &[String]) -> Result<(), Failure> {
    guide.heading("prepare", "A rewrite is prepared: a proposal and its diff, and nothing is written")?;
    let before = scratch.hashes()?;
    let mut chosen = None;
    for name in names.iter().map(String::as_str).take(4).chain(["python"]) {
        chosen = first_change(session, name)?;
        if chosen.is_some() {
            break;
        }
    }
    let (input, report) = match chosen {
        Some(chosen) => chosen,
        None => {
            let (file, text) = choices::EXAMPLE;
            scratch.write(file, text.as_bytes())?;
            scratch.commit()?;
            return rewrite_example(guide, scratch, session);
        }
    };
    rest(guide, scratch, session, &input, &report, &before)
}

fn rewrite_example(guide: &mut Guide<'_>, scratch: &Scratch, session: &Session) -> Result<(), Failure> {
    guide.say("   Nothing here fits, so the copy gets a small file of its own.")?;
    let before = scratch.hashes()?;
    match first_change(session, "python")? {
        Some((input, report)) => rest(guide, scratch, session, &input, &report, &before),
        None => Err(did_not_hold("no rewrite could be prepared, not even in the example")),
    }
}

/// The first rewrite that fits at several files, or else the first that fits.
fn first_change(session: &Session, name: &str) -> Result<Option<(AstEdit, AstEditReport)>, Failure> {
    let mut first = None;
    for (pattern, template) in choices::changes(name) {
        let (pattern, template) = (pattern.to_owned(), template.to_owned());
        let input = AstEdit { pattern, template, filters: filters(name), ..AstEdit::default() };
        let report = match input.run(session) {
            Ok(report) => report,
            Err(error) if matches!(error.kind, ErrorKind::BadInput | ErrorKind::Refused) => continue,
            Err(error) => return Err(error.into()),
        };
        match &report.proposal {
            Some(proposal) if proposal.slots.len() > 1 => return Ok(Some((input, report))),
            Some(_) if first.is_none() => first = Some((input, report)),
            _ => {}
        }
    }
    Ok(first)
}

fn rest(
    guide: &mut Guide<'_>,
    scratch: &Scratch,
    session: &Session,
    input: &AstEdit,
    report: &AstEditReport,
    before: &Hashes,
) -> Result<(), Failure> {
    let language = input.filters.lang.first().map_or("", String::as_str);
    guide.command(&format!("ast-edit '{}' '{}' -l {language}", input.pattern, input.template))?;
    guide.lines(&report.text(guide.output.paint, None), DIFF_LINES)?;
    let Some(proposal) = &report.proposal else { return Err(did_not_hold("the proposal is gone")) };
    hold(scratch.hashes()? == *before, "preparing wrote into the checkout")?;

    guide.heading("stale", "One file is changed behind its back: accepting refuses, and writes nothing")?;
    let Some(file) = proposal.slots.first().map(|slot| slot.path.to_string_lossy().into_owned()) else {
        return Err(did_not_hold("the proposal has no file"));
    };
    scratch.append(&file, b"\n")?;
    guide.say(&format!("   An empty line is added to {file}."))?;
    guide.command(&format!("resolve {} accept", proposal.id))?;
    let changed = scratch.hashes()?;
    let accept =
        |id: &str| Resolve { proposal: id.to_owned(), decision: Decision::Accept, only: Vec::new() }.run(session);
    match accept(&proposal.id) {
        Err(error) if error.kind == ErrorKind::Stale => {
            guide.lines(&error.to_string(), SHOWN)?;
            hold(error.message.contains(&file), "the refusal does not name the file")?;
        }
        Err(error) => return Err(error.into()),
        Ok(_) => return Err(did_not_hold("a stale proposal was accepted")),
    }
    hold(scratch.hashes()? == changed, "refusing wrote into the checkout")?;
    guide.say("   Every file has the bytes that it had.")?;

    guide.heading("accept", "Prepared again, and accepted: all files are written, or none would be")?;
    let again = input.run(session)?;
    let Some(proposal) = &again.proposal else { return Err(did_not_hold("it could not be prepared again")) };
    guide.command(&format!("resolve {} accept", proposal.id))?;
    let accepted = accept(&proposal.id)?;
    guide.lines(&accepted.to_string(), SHOWN)?;

    guide.heading("verify", "What git says")?;
    let stat = scratch.git(&["diff", "--stat", "--no-ext-diff", "--no-textconv"], None)?;
    guide.say(&guide.output.paint.words(Role::Faint, "   $ git diff --stat"))?;
    let lines: Vec<&str> = stat.lines().collect();
    let (last, files) = lines.split_last().unwrap_or((&"", &[]));
    guide.lines(&files.join("\n"), SHOWN)?;
    guide.say(&format!("   {}", last.trim()))?;
    let names = scratch.git(&["diff", "--name-only", "-z", "--no-ext-diff"], None)?;
    let mut names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    let mut expected: Vec<&str> = accepted.resolution.files.iter().map(String::as_str).chain([file.as_str()]).collect();
    expected.sort_unstable();
    expected.dedup();
    hold(names == expected, "git names other files than the proposal")?;
    scratch.git(&["apply", "--check", "-R", "--unidiff-zero", "-"], Some(&proposal.diff()))?;
    guide.say("   Git names the proposal's files and no others, and takes its diff back in reverse.")?;
    Ok(())
}

type Hashes = BTreeMap<std::path::PathBuf, u64>;

fn hold(held: bool, otherwise: &str) -> Result<(), Failure> {
    if held { Ok(()) } else { Err(did_not_hold(otherwise)) }
}

fn did_not_hold(what: &str) -> Failure {
    ToolError::new(ErrorKind::Internal, format!("the tour's step did not hold: {what}")).into()
}
