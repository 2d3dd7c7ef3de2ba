//! No answer is longer than this, as JSON; what goes first is what is easiest to ask for again.

use crate::answer::{Capped, Frame, Report, Stop};

/// The longest answer, in bytes.
pub(crate) const ANSWER: usize = 12_288;
/// The longest value of a variable, in characters.
pub(crate) const VALUE: usize = 160;
/// The longest value of an expression, in characters.
pub(crate) const EXPR: usize = 1_000;
/// The longest message of an exception, in characters.
pub(crate) const MESSAGE: usize = 1_500;
/// How many variables a frame shows.
pub(crate) const VARS: usize = 40;
/// How many variables a caller shows.
pub(crate) const CALLER_VARS: usize = 12;
/// How many children a value shows.
pub(crate) const CHILDREN: usize = 10;
/// How many callers are shown.
pub(crate) const FRAMES: usize = 12;
/// How many frames are asked for.
pub(crate) const FETCHED: usize = 60;
/// How much output comes with a stop, in bytes.
pub(crate) const TAIL: usize = 2 * 1024;
/// How much output one call reads, in bytes.
pub(crate) const OUTPUT: usize = 8 * 1024;
/// How much a compiler may say, in bytes.
pub(crate) const BUILD: usize = 4 * 1024;

/// `text` with its middle cut out where it has more than `most` characters; and whether it was.
pub(crate) fn middle(text: &str, most: usize) -> (String, bool) {
    let count = text.chars().count();
    if count <= most {
        return (text.to_owned(), false);
    }
    let (head, tail) = (most * 2 / 3, most - most * 2 / 3 - 1);
    let begin: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    (format!("{begin}…{end}"), true)
}

/// Cuts an answer to size, and says what was cut.
pub(crate) fn fit(mut report: Report) -> Report {
    let cuts: [fn(&mut Report) -> Option<Capped>; 10] =
        [children, outer_locals, output, frames, locals, expanded, build, notes, breaks, exprs];
    for cut in cuts {
        while length(&report) > ANSWER {
            let Some(capped) = cut(&mut report) else { break };
            match report.capped.iter_mut().find(|known| known.what == capped.what) {
                Some(known) => known.shown = capped.shown,
                None => report.capped.push(capped),
            }
        }
    }
    report
}

fn length(report: &Report) -> usize {
    serde_json::to_vec(report).map_or(0, |bytes| bytes.len())
}

fn stop(report: &mut Report) -> Option<&mut Stop> {
    report.stopped.as_mut()?.as_mut()
}

fn capped(what: &str, shown: usize, of: usize, narrow: String) -> Option<Capped> {
    Some(Capped { what: what.to_owned(), shown, of, narrow })
}

fn children(report: &mut Report) -> Option<Capped> {
    let at = stop(report)?.at.as_mut()?;
    let var = at.locals.iter_mut().flatten().rev().find(|var| var.children.is_some())?;
    let of = var.children.take()?.len();
    capped("children", 0, of, format!("vise debug look --expand {}", var.path))
}

fn outer_locals(report: &mut Report) -> Option<Capped> {
    let frames = &mut stop(report)?.frames;
    let frame: &mut Frame =
        frames.iter_mut().rev().find(|frame| frame.locals.as_ref().is_some_and(|all| !all.is_empty()))?;
    let of = frame.locals.replace(Vec::new())?.len();
    capped("locals", 0, of, format!("vise debug look --frame {}", frame.handle))
}

fn output(report: &mut Report) -> Option<Capped> {
    let output = report.output.as_mut()?;
    let of = output.text.len();
    if of == 0 {
        return None;
    }
    // Its end is what counts; the cut is at half of what is left.
    let mut cut = of.div_ceil(2);
    while !output.text.is_char_boundary(cut) {
        cut += 1;
    }
    output.text.drain(..cut);
    let since = output.from;
    output.from = output.next - output.text.len() as u64;
    let shown = output.text.len();
    capped("output", shown, of, format!("vise debug output --since {since}"))
}

fn frames(report: &mut Report) -> Option<Capped> {
    let stop = stop(report)?;
    let of = stop.frames.len();
    stop.frames.pop()?;
    stop.hidden_frames += 1;
    capped("frames", of - 1, of, "vise debug look --frame N".to_owned())
}

fn locals(report: &mut Report) -> Option<Capped> {
    let locals = stop(report)?.at.as_mut()?.locals.as_mut()?;
    let of = locals.len();
    let gone = locals.pop()?;
    capped("locals of at", of - 1, of, format!("vise debug look --expand {}", gone.path))
}

fn expanded(report: &mut Report) -> Option<Capped> {
    let one = report.expanded.as_mut()?.iter_mut().rev().find(|one| !one.children.is_empty())?;
    let of = one.children.len();
    one.children.pop();
    capped("expanded", of - 1, of, format!("vise debug look --expand {}", one.path))
}

fn build(report: &mut Report) -> Option<Capped> {
    let text = report.build.as_mut()?.text.as_mut()?;
    let of = text.len();
    (of > 200).then(|| *text = middle(text, of / 2).0)?;
    capped("build", text.len(), of, "the build by hand".to_owned())
}

fn notes(report: &mut Report) -> Option<Capped> {
    let of = report.notes.len();
    (of > 1).then(|| report.notes.pop())?;
    capped("notes", of - 1, of, "vise debug status".to_owned())
}

fn breaks(report: &mut Report) -> Option<Capped> {
    let of = report.breakpoints.as_ref().map_or(0, Vec::len) + report.never_hit.as_ref().map_or(0, Vec::len);
    let lists = [&mut report.never_hit, &mut report.breakpoints];
    lists.into_iter().flatten().find_map(Vec::pop)?;
    capped("breakpoints", of - 1, of, "vise debug breaks --clear ID".to_owned())
}

fn exprs(report: &mut Report) -> Option<Capped> {
    let exprs = &mut stop(report)?.exprs;
    let of = exprs.len();
    exprs.pop()?;
    capped("exprs", of - 1, of, "fewer expressions a call".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Output, Var};

    fn var(name: &str, children: Option<Vec<Var>>) -> Var {
        let value = "é\"".repeat(80);
        Var { name: name.to_owned(), path: name.to_owned(), value, children, ..Var::default() }
    }

    #[test]
    fn a_small_answer_stays_as_it_is() {
        let report = Report { op: "go".to_owned(), stopped: Some(Some(Stop::default())), ..Report::default() };
        assert_eq!(fit(report.clone()), report);
    }

    #[test]
    fn the_parts_go_in_order_and_are_named() {
        let many = |count: usize| (0..count).map(|n| var(&format!("v{n}"), None)).collect::<Vec<_>>();
        let frame = |n: usize| Frame { frame: n, handle: format!("1.{n}"), locals: Some(many(12)), ..Frame::default() };
        let at = Frame { locals: Some((0..40).map(|n| var(&format!("x{n}"), Some(many(10)))).collect()), ..frame(0) };
        let output = Output { text: "\u{1}".repeat(2048), from: 0, next: 2048, dropped: 0 };
        let stop = Stop { at: Some(at), frames: (1..13).map(frame).collect(), ..Stop::default() };
        let whole = Report { stopped: Some(Some(stop)), output: Some(output), ..Report::default() };
        let cut = fit(whole);
        assert!(length(&cut) <= ANSWER, "{}", length(&cut));
        let stop = cut.stopped.unwrap().unwrap();
        assert!(!stop.at.unwrap().locals.unwrap().is_empty(), "what counts most goes last");
        for what in ["children", "locals", "output"] {
            assert!(cut.capped.iter().any(|capped| capped.what == what), "{what}: {:?}", cut.capped);
        }
    }

    #[test]
    fn the_middle_is_what_goes() {
        assert_eq!(middle("short", 10), ("short".to_owned(), false));
        let (cut, was) = middle(&"é".repeat(500), 160);
        assert!(was && cut.chars().count() == 160 && cut.contains('…'));
    }
}
