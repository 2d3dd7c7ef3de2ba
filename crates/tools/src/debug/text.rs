//! The report in words.

use std::fmt::Write as _;

use vise_dap::{Break, EndedBy, Expr, Frame, Mode, Report, State, Stop, Var, Verdict};

/// The whole report, a line for each thing.
pub(super) fn of(report: &Report) -> String {
    let mut out = String::new();
    head(&mut out, report);
    if let Some(Some(stop)) = &report.stopped {
        self::stop(&mut out, stop);
    }
    for one in report.changed.iter().flatten() {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        line(&mut out, &format!("changed {}: {} -> {}", one.name, value(&one.before), value(&one.after)));
    }
    for one in report.expanded.iter().flatten() {
        match &one.error {
            Some(error) => line(&mut out, &format!("{}: {}", one.path, error.message)),
            None => {
                let size = one.size.map(|size| format!(" ({size})")).unwrap_or_default();
                line(&mut out, &format!("{} = {}{size}", one.path, one.value.as_deref().unwrap_or_default()));
                one.children.iter().for_each(|child| var(&mut out, child, 1));
            }
        }
    }
    for one in report.breakpoints.iter().flatten() {
        breakpoint(&mut out, one, "");
    }
    for one in report.never_hit.iter().flatten() {
        breakpoint(&mut out, one, "never hit: ");
    }
    if let Some(text) = report.build.as_ref().and_then(|build| build.text.as_ref()) {
        let _ = write!(out, "build:\n{}", block(text));
    }
    for output in [&report.output, &report.written].into_iter().flatten().filter(|output| !output.text.is_empty()) {
        let lost = if output.dropped > 0 {
            format!(", {} bytes before it are not shown", output.dropped)
        } else {
            String::new()
        };
        let _ = write!(out, "output (next {}{lost}):\n{}", output.next, block(&output.text));
    }
    if let (Some(killed), Some(survivors)) = (&report.killed, &report.survivors) {
        let names = |all: &[vise_dap::Process]| {
            all.iter().map(|one| format!("{} ({})", one.argv0, one.pid)).collect::<Vec<_>>().join(", ")
        };
        if !killed.is_empty() {
            line(&mut out, &format!("killed: {}", names(killed)));
        }
        if !survivors.is_empty() {
            line(&mut out, &format!("still there: {}", names(survivors)));
        }
    }
    if let Some(Some(at)) = &report.at {
        line(&mut out, &format!("at {}:{}", at.file.as_deref().unwrap_or("?"), at.line));
    }
    for one in &report.capped {
        line(&mut out, &format!("shown {} of {} {}: {}", one.shown, one.of, one.what, one.narrow));
    }
    for note in &report.notes {
        line(&mut out, &format!("note: {note}"));
    }
    out
}

/// One line, with nothing in it that could lead a terminal astray.
fn line(out: &mut String, text: &str) {
    out.push_str(&vise_text::shown(text.as_bytes()));
    out.push('\n');
}

fn block(text: &str) -> String {
    text.lines().map(|text| format!("  {}\n", vise_text::shown(text.as_bytes()))).collect()
}

fn head(out: &mut String, report: &Report) {
    let mut words = Vec::new();
    if let Some(verdict) = report.verdict {
        let test = report.test.as_deref().unwrap_or_default();
        words.push(match verdict {
            Verdict::Failed => format!("`{test}` failed"),
            Verdict::Passed => format!("`{test}` passed"),
            Verdict::Skipped => format!("`{test}` is skipped"),
            Verdict::BuildFailed => format!("`{test}` could not be built"),
            Verdict::NoSuchTest => format!("there is no test `{test}`"),
            Verdict::DidNotStop => format!("`{test}` ended otherwise than it should, and nothing was there to stop at"),
            Verdict::Timeout => format!("`{test}` took too long"),
        });
        if report.mode == Some(Some(Mode::PostMortem)) {
            words.push("looked at after it unwound".to_owned());
        }
    }
    let program = report.program.as_deref().unwrap_or_default();
    words.push(match report.state {
        State::Stopped => format!("stopped: {program}"),
        State::Running => format!("running: {program}"),
        State::Exited => format!("exited: {program}"),
        State::Ended => format!("ended{}", by(report.ended_by)),
        State::None => "no session".to_owned(),
    });
    if let Some(Some(code)) = report.exit_code {
        words.push(format!("exit code {code}"));
    }
    if let Some(Some(signal)) = &report.signal {
        words.push(signal.clone());
    }
    if let (Some(session), Some(left)) = (&report.session, report.time_left_s) {
        words.push(format!("session {session}, {left} s left"));
    }
    line(out, &words.join("; "));
}

fn by(by: Option<EndedBy>) -> &'static str {
    match by {
        None | Some(EndedBy::End) => "",
        Some(EndedBy::Lifetime) => ": its lifetime is over",
        Some(EndedBy::Idle) => ": nobody asked for too long",
        Some(EndedBy::Adapter) => ": the adapter died",
        Some(EndedBy::Client) => ": whoever started it is gone",
        Some(EndedBy::Timeout) => ": it took too long",
        Some(EndedBy::Wedged) => ": the adapter was stuck",
    }
}

fn stop(out: &mut String, stop: &Stop) {
    let mut reason = stop.reason.clone();
    if let Some(id) = stop.breakpoint {
        let _ = write!(reason, " {id}");
    }
    if let Some(signal) = &stop.signal {
        let _ = write!(reason, " {signal}");
    }
    if let Some(exception) = &stop.exception {
        let _ = write!(reason, " {}", exception.kind);
    }
    let thread = if stop.thread.of > 1 {
        format!(" in thread {} of {}", stop.thread.name, stop.thread.of)
    } else {
        String::new()
    };
    line(out, &format!("{reason}{thread}"));
    if let Some(exception) = &stop.exception {
        out.push_str(&block(&exception.message));
    }
    if let Some(at) = &stop.at {
        frame(out, at);
        for source in at.source.iter().flatten() {
            line(out, &format!("  {} {:>5}  {}", if source.here { '>' } else { ' ' }, source.line, source.text));
        }
        at.locals.iter().flatten().for_each(|local| var(out, local, 1));
    }
    for caller in &stop.frames {
        frame(out, caller);
        caller.locals.iter().flatten().for_each(|local| var(out, local, 2));
    }
    if stop.hidden_frames > 0 {
        line(out, &format!("{} frames hidden", stop.hidden_frames));
    }
    stop.exprs.iter().for_each(|one| expr(out, one));
}

fn frame(out: &mut String, frame: &Frame) {
    let file = frame.file.as_deref().unwrap_or("?");
    line(out, &format!("{file}:{}  {}  (frame {})", frame.line, frame.function, frame.handle));
}

fn var(out: &mut String, var: &Var, depth: usize) {
    let kind = var.kind.as_ref().map(|kind| format!("  {kind}")).unwrap_or_default();
    line(out, &format!("{}{} = {}{kind}", "  ".repeat(depth), var.name, var.value));
    var.children.iter().flatten().for_each(|child| self::var(out, child, depth + 1));
}

fn expr(out: &mut String, expr: &Expr) {
    match (&expr.value, &expr.error) {
        (Some(value), _) => line(out, &format!("{} = {value}", expr.expr)),
        (None, Some(error)) => line(out, &format!("{}: {} ({})", expr.expr, error.message, error.kind)),
        (None, None) => line(out, &expr.expr),
    }
}

fn breakpoint(out: &mut String, one: &Break, before: &str) {
    let place = one.line.map_or_else(|| one.file.clone(), |line| format!("{}:{line}", one.file));
    let mut words = format!("{before}breakpoint {} `{}`", one.id, one.asked);
    if one.moved || one.asked_line.is_none() {
        let _ = write!(words, " is at {place}");
    }
    if !one.verified {
        words.push_str(" cannot be reached yet");
    }
    if one.hits > 0 {
        let _ = write!(words, ", {} hits", one.hits);
    }
    for more in [&one.message, &one.condition_error].into_iter().flatten() {
        let _ = write!(words, ": {more}");
    }
    line(out, &words);
}
