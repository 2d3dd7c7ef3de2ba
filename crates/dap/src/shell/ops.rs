//! What is asked of a session that runs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::ENDING;
use super::case::{Case, wedged};
use super::live::{ANSWER, Live, Unanswered};
use super::look::{Want, shot};
use super::start::set_breakpoints;
use crate::answer::{EndedBy, Report, State};
use crate::call::{Call, Go, How, Look, Op};
use crate::cap;
use crate::error::{Error, Kind};
use crate::frames;
use crate::session::{Run, Session};

/// How long a program may take to stand still once it is asked to.
const PAUSE: Duration = Duration::from_secs(5);

pub(crate) async fn answer(case: &Arc<Case>, op: &Op, call: &Call) -> Result<Report, Error> {
    match op {
        Op::Status => return Ok(status(case)),
        Op::End => return Ok(end(case).await),
        Op::Output { since } => return Ok(output(case, *since)),
        Op::Launch(_) | Op::Failure(_) => {}
        Op::Go(_) | Op::Pause { .. } | Op::Look(_) | Op::Breaks { .. } => {
            let rest = matches!(op, Op::Breaks { set, clear } if set.is_empty() && clear.is_empty());
            if !rest {
                open(case)?;
                if !case.recovers().await {
                    return Err(wedged());
                }
            }
        }
    }
    match op {
        Op::Go(go) => self::go(case, go, call).await,
        Op::Pause { exprs } => pause(case, exprs, call).await,
        Op::Look(look) => self::look(case, look, call).await,
        Op::Breaks { set, clear } => breaks(case, set, clear).await,
        _ => Ok(case.report(op.name())),
    }
}

/// The session, if its program still lives.
fn open(case: &Case) -> Result<&Arc<Live>, Error> {
    match (case.state(), case.live()) {
        (State::Stopped | State::Running, Some(live)) => Ok(live),
        (State::Stopped | State::Running, None) => {
            Err(Error::new(Kind::Refused, "the program is still being built").hint("ask again in a moment"))
        }
        (state, _) => {
            let how = if state == State::Exited { "ended" } else { "was ended" };
            Err(Error::not_found(format!("the session `{}` {how}; there is none to ask", case.name))
                .hint("`vise debug launch` starts another; `status`, `output` and `breaks` still answer"))
        }
    }
}

/// The session, if its program stands still.
fn stopped<'c>(case: &'c Case, what: &str) -> Result<&'c Arc<Live>, Error> {
    let live = open(case)?;
    if case.state() != State::Stopped {
        return Err(Error::new(Kind::Refused, format!("the program runs; `{what}` needs it to stand still"))
            .hint("`vise debug pause` stops it"));
    }
    Ok(live)
}

fn status(case: &Case) -> Report {
    let mut report = case.report("status");
    report.at = Some(case.place());
    report.age_s = Some(Some(case.age()));
    report.breakpoints = Some(case.breaks());
    report.pids = Some(case.pids());
    report.conversation = Some(Some(case.conversation.clone()));
    report
}

async fn end(case: &Arc<Case>) -> Report {
    case.close(Some(EndedBy::End));
    let closed = tokio::time::timeout(ENDING, case.gone()).await.unwrap_or_default();
    let mut report = case.report("end");
    report.killed = Some(closed.killed);
    report.survivors = Some(closed.survivors);
    report
}

fn output(case: &Case, since: Option<u64>) -> Report {
    let mut report = case.report("output");
    let written = case.live().map(|live| {
        live.take_errors();
        live.see(|session| session.output.read(since.unwrap_or(0), cap::OUTPUT))
    });
    report.written = Some(written.unwrap_or_default());
    report
}

/// The answer at a rest: a whole look where it stands, how it ended where it did.
pub(crate) async fn at_rest(case: &Arc<Case>, op: &str, want: Want<'_>, all_breaks: bool) -> Result<Report, Error> {
    let Some(live) = case.live() else { return Ok(case.report(op)) };
    let found = match case.state() {
        State::Stopped => match shot(live, &case.root, want).await {
            Ok(shot) => Some(shot),
            // It may have gone on, or have ended, while it was looked at.
            Err(error) if case.state() == State::Stopped => return Err(error),
            Err(_) => None,
        },
        State::Exited | State::Ended => {
            // The one who watches closes it in a moment.
            let _ = tokio::time::timeout(ENDING, case.gone()).await;
            None
        }
        State::Running | State::None => None,
    };
    if case.state() == State::Exited {
        let _ = tokio::time::timeout(ENDING, case.gone()).await;
    }
    let mut report = case.report(op);
    case.fill(&mut report, found, all_breaks);
    Ok(report)
}

/// Waits for a stop that counts, or the end. What the runtime raises to end a program is no exception to stop at.
pub(crate) async fn settle(case: &Arc<Case>, live: &Arc<Live>, deadline: Instant) -> Run {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let run = live.rest(left).await;
        if run != Run::Stopped {
            return run;
        }
        let halt = live.see(|session| session.halt().clone());
        let leaves = ["SystemExit", "KeyboardInterrupt"]
            .iter()
            .any(|name| halt.description.contains(name) || halt.text == *name);
        if halt.reason == "exception" && leaves && halt.hit.is_empty() {
            live.with(Session::forget_stop);
            let _ = live.request(halt.line, "continue", json!({"threadId": halt.thread}), ANSWER).await;
            continue;
        }
        arrive(case, live).await;
        return run;
    }
}

/// What is to be done at every stop: the way to a line ends, and a breakpoint that the adapter did not name is found.
async fn arrive(case: &Arc<Case>, live: &Arc<Live>) {
    let halt = live.see(|session| session.halt().clone());
    if halt.hit.is_empty() && !halt.arrived && halt.reason.contains("breakpoint") {
        let stack = json!({"threadId": halt.thread, "startFrame": 0, "levels": 1});
        let stack = live.request(halt.line, "stackTrace", stack, ANSWER).await.unwrap_or_default();
        if let Some(top) = frames::read(&stack, &case.root).first()
            && let Some(path) = &top.path
        {
            live.with(|session| session.found_at(path, top.line));
        }
    }
    let visited = live.with(|session| {
        let file = session.table.visiting();
        session.table.visit(None);
        session.read_condition_errors();
        file
    });
    if let Some(file) = visited {
        let _ = set_breakpoints(live, halt.line, &file).await;
    }
}

async fn go(case: &Arc<Case>, go: &Go, call: &Call) -> Result<Report, Error> {
    let live = stopped(case, "go")?;
    let mut notes = Vec::new();
    let deadline = Instant::now() + go.wait;
    let line = live.see(|session| session.halt().line);
    if let (How::To, Some((file, to))) = (go.how, &go.to) {
        live.with(|session| session.table.visit(Some((file.clone(), *to))));
        set_breakpoints(live, line, file).await.map_err(|why| why.error(live, "setBreakpoints"))?;
    }
    let command = match go.how {
        How::Continue | How::To => "continue",
        How::Over => "next",
        How::In => "stepIn",
        How::Out => "stepOut",
    };
    for step in 0..go.count {
        let halt = live.see(|session| session.halt().clone());
        if !live.with(|session| session.resume(halt.number)) {
            break;
        }
        match live.request(halt.line, command, json!({"threadId": halt.thread}), ANSWER).await {
            Ok(_) | Err(Unanswered::Gone(_)) => {}
            // An answer may come only when the program stops again.
            Err(Unanswered::Silent(_)) => {}
            Err(why) => {
                live.with(|session| session.stays(halt.number));
                return Err(why.error(live, command));
            }
        }
        let run = settle(case, live, deadline).await;
        let stopped_as_asked = |session: &Session| {
            let reason = session.halt().reason.as_str();
            matches!(reason, "step" | "goto") || command == "continue" && reason.contains("breakpoint")
        };
        if run != Run::Stopped || !live.see(stopped_as_asked) {
            if step + 1 < go.count {
                notes.push(format!("{} of {} times; then something else happened", step + 1, go.count));
            }
            break;
        }
    }
    let want = Want { exprs: &go.exprs, ..Want::default() };
    let mut report = at_rest(case, "go", want, false).await?;
    report.notes.extend(notes);
    running_note(&mut report, go.wait);
    let _ = call;
    Ok(report)
}

/// Says of a program that still runs that it is not lost.
pub(crate) fn running_note(report: &mut Report, waited: Duration) {
    if report.state == State::Running {
        let seconds = waited.as_secs_f64();
        report.notes.push(format!("it did not stop within {seconds} s and still runs; `vise debug pause` stops it"));
    }
}

async fn pause(case: &Arc<Case>, exprs: &[String], _call: &Call) -> Result<Report, Error> {
    let live = open(case)?;
    if case.state() == State::Running {
        let line = live.see(|session| if session.stops() > 0 { session.halt().line } else { session.main() });
        let mut thread = live.see(|session| session.halt().thread);
        if live.see(Session::stops) == 0 {
            let threads = live.request(line, "threads", serde_json::Value::Null, ANSWER).await.unwrap_or_default();
            thread = threads["threads"][0]["id"].as_i64().unwrap_or(thread);
        }
        let answer = live.request(line, "pause", json!({"threadId": thread}), ANSWER).await;
        if let Err(why) = answer
            && case.state() == State::Running
        {
            return Err(why.error(live, "pause"));
        }
        if settle(case, live, Instant::now() + PAUSE).await == Run::Running {
            return Err(live.lost("the program did not stand still within 5 s"));
        }
    }
    at_rest(case, "pause", Want { exprs, ..Want::default() }, false).await
}

async fn look(case: &Arc<Case>, look: &Look, _call: &Call) -> Result<Report, Error> {
    let live = stopped(case, "look")?;
    let number = live.see(Session::stops);
    let focus = match look.frame.as_deref() {
        None => None,
        Some(frame) => Some(frame_index(frame, number)?),
    };
    let want = Want { exprs: &look.exprs, effects: look.effects, focus, children: true, expand: &look.expand };
    let mut report = at_rest(case, "look", want, false).await?;
    report.output = None;
    report.breakpoints = None;
    if look.effects && !look.exprs.is_empty() {
        report
            .notes
            .push("expressions were evaluated with effects; the values of this stop may have changed".to_owned());
    }
    Ok(report)
}

/// The index of a frame, which may name the stop that it is of.
fn frame_index(frame: &str, number: u64) -> Result<usize, Error> {
    let bad = || Error::bad_input(format!("`{frame}` is no frame; `N`, or `S.N` of the stop S, would do"));
    let (stop, index) = match frame.split_once('.') {
        Some((stop, index)) => (stop.parse::<u64>().map_err(|_| bad())?, index),
        None => (number, frame),
    };
    let index = index.parse().map_err(|_| bad())?;
    if stop != number {
        return Err(Error::new(
            Kind::Stale,
            format!("the frame `{frame}` is of stop {stop}; the program stands at stop {number}"),
        )
        .hint("`vise debug look` shows the frames of this stop"));
    }
    Ok(index)
}

async fn breaks(case: &Arc<Case>, set: &[crate::call::Spot], clear: &[String]) -> Result<Report, Error> {
    if !set.is_empty() || !clear.is_empty() {
        let live = open(case)?;
        let mut ids = Vec::new();
        let known: Vec<u64> = live.see(|session| session.table.rows().iter().map(|row| row.id).collect());
        for id in clear {
            match id.as_str() {
                "all" => ids.extend(&known),
                id => match id.parse().ok().filter(|id| known.contains(id)) {
                    Some(id) => ids.push(id),
                    None => {
                        return Err(Error::not_found(format!("there is no breakpoint `{id}`"))
                            .hint("`vise debug breaks` lists them"));
                    }
                },
            }
        }
        let mut files: Vec<_> = live.with(|session| ids.iter().filter_map(|id| session.table.clear(*id)).collect());
        for spot in set {
            if !live.with(|session| session.table.set(spot)) {
                return Err(too_many());
            }
            files.push(spot.file.clone());
        }
        files.sort();
        files.dedup();
        let line = live.see(|session| if session.stops() > 0 { session.halt().line } else { session.main() });
        for file in files {
            set_breakpoints(live, line, &file).await.map_err(|why| why.error(live, "setBreakpoints"))?;
        }
    }
    let mut report = case.report("breaks");
    report.breakpoints = Some(case.breaks());
    Ok(report)
}

pub(crate) fn too_many() -> Error {
    Error::bad_input("there are 64 breakpoints already").hint("`vise debug breaks --clear ID` makes room")
}
