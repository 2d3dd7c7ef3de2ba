//! `graph` fences: questions about a whole case, and what they are answered.
//!
//! A line is one question; `edges` and `symbols` are followed by indented lines, which must be all there are.

use std::collections::BTreeSet;

use super::fences::{Fence, Problem};
use super::marks::{EdgeWord, Target, list, pieces, read_target};
use super::seen::{Edge, Id, Seen};

/// What differs, and the text of the fence with the answers that were found.
pub(crate) fn check(seen: &Seen, fence: &Fence) -> (Vec<Problem>, String) {
    let mut problems = Vec::new();
    let mut text = String::new();
    let lines: Vec<&str> = fence.text.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let number = fence.line() + 1 + at;
        at += 1;
        let below = lines[at..].iter().take_while(|line| line.starts_with(' ') && !line.trim().is_empty()).count();
        let block: Vec<&str> = lines[at..at + below].iter().map(|line| line.trim()).collect();
        at += below;
        let answer = match line.trim() {
            "" => Ok(Vec::new()),
            comment if comment.starts_with('#') => Ok(Vec::new()),
            "edges" | "edges:" => Ok(compare_block(&block, all_edges(seen), &mut problems, number)),
            "symbols" | "symbols:" => Ok(compare_block(&block, all_symbols(seen), &mut problems, number)),
            line if below == 0 => check_line(seen, line, number, &mut problems).map(|line| vec![line]),
            _ => Err("only `edges` and `symbols` are followed by indented lines".to_string()),
        };
        match answer {
            Ok(answer) => match &answer[..] {
                [] => push(&mut text, line),
                [only] if below == 0 && !is_block(line) => push(&mut text, only),
                lines => {
                    push(&mut text, line);
                    lines.iter().for_each(|line| push(&mut text, line));
                }
            },
            Err(message) => {
                problems.push(Problem::new(number, message));
                push(&mut text, line);
                block.iter().for_each(|line| push(&mut text, &format!("  {line}")));
            }
        }
    }
    (problems, text)
}

fn is_block(line: &str) -> bool {
    ["edges", "edges:", "symbols", "symbols:"].contains(&line.trim())
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Compares indented lines with all that is there; the answer is what is there, indented.
fn compare_block(said: &[&str], found: Vec<String>, problems: &mut Vec<Problem>, number: usize) -> Vec<String> {
    for (offset, line) in said.iter().enumerate().filter(|(_, line)| !found.iter().any(|found| found == *line)) {
        problems.push(Problem::new(number + 1 + offset, format!("there is no `{line}`")));
    }
    for line in found.iter().filter(|line| !said.contains(&line.as_str())) {
        problems.push(Problem::new(number, format!("not said: {line}")));
    }
    found.into_iter().map(|line| format!("  {line}")).collect()
}

fn all_edges(seen: &Seen) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for edge in &seen.edges {
        let line = format!(
            "{} > {}: {} [{}]",
            seen.name(edge.from, None),
            seen.name(edge.to, None),
            edge.kind,
            edge.evidence.as_str()
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn all_symbols(seen: &Seen) -> Vec<String> {
    let symbols = seen.symbols.iter().enumerate().filter(|(_, symbol)| symbol.path != "<module>");
    let symbols = symbols.filter(|(_, symbol)| symbol.merged.is_none());
    symbols.map(|(id, symbol)| format!("{} {}", symbol.kind.as_str(), seen.name(id, None))).collect()
}

/// Checks a line that is one question, and gives it with the answer that was found.
fn check_line(seen: &Seen, line: &str, at: usize, problems: &mut Vec<Problem>) -> Result<String, String> {
    if let Some(edge) = line.strip_prefix("no edge ") {
        let found = found_edge(seen, edge)?;
        if let Some(found) = found.first() {
            problems.push(Problem::new(at, format!("there is one: {} [{}]", found.kind, found.evidence.as_str())));
        }
        return Ok(line.to_string());
    }
    if let Some(edge) = line.strip_prefix("edge ") {
        if found_edge(seen, edge)?.is_empty() {
            let (from, to, _) = read_edge(seen, edge)?;
            let others: Vec<String> = seen
                .edges
                .iter()
                .filter(|edge| (edge.from, edge.to) == (from, to))
                .map(|edge| format!("{} [{}]", edge.kind, edge.evidence.as_str()))
                .collect();
            let others = if others.is_empty() { String::new() } else { format!("; there is {}", others.join(", ")) };
            problems.push(Problem::new(at, format!("there is no such edge{others}")));
        }
        return Ok(line.to_string());
    }
    let (question, answer) = line.split_once(": ").ok_or_else(|| unknown(line))?;
    let (verb, name) = question.split_once(' ').ok_or_else(|| unknown(line))?;
    let id = seen.symbol(name.trim().trim_matches('`'), None)?;
    let is_call = |edge: &&Edge| ["calls", "instantiates"].contains(&edge.kind);
    let edges = seen.edges.iter();
    let found: Vec<(Id, &Edge)> = match verb {
        "callers" => edges.filter(is_call).filter(|edge| edge.to == id).map(|edge| (edge.from, edge)).collect(),
        "callees" => edges.filter(is_call).filter(|edge| edge.from == id).map(|edge| (edge.to, edge)).collect(),
        "references" => edges.filter(|edge| edge.to == id).map(|edge| (edge.from, edge)).collect(),
        _ => return Err(unknown(line)),
    };
    let said = list(answer, read_target)?;
    compare_answer(seen, &said, &found, at, problems);
    Ok(format!("{question}: {}", shown_answer(seen, &said, &found)))
}

fn unknown(line: &str) -> String {
    format!(
        "cannot read `{line}`; a line here is `callers NAME: …`, `callees NAME: …`, `references NAME: …`, \
         `edge A > B[: KIND [EVIDENCE]]`, `no edge A > B[: KIND]`, `edges` or `symbols`"
    )
}

fn compare_answer(seen: &Seen, said: &[Target], found: &[(Id, &Edge)], at: usize, problems: &mut Vec<Problem>) {
    let mut mentioned: BTreeSet<Id> = BTreeSet::new();
    for target in said {
        let wrong = match seen.symbol(&target.name, None) {
            Ok(id) => {
                mentioned.insert(id);
                let edges: Vec<&Edge> = found.iter().filter(|(end, _)| *end == id).map(|(_, edge)| *edge).collect();
                wrong_evidence(target, &edges)
            }
            Err(message) => Some(message),
        };
        problems.extend(wrong.map(|message| Problem::new(at, message)));
    }
    let mut left: Vec<String> = Vec::new();
    for (id, edge) in found.iter().filter(|(id, _)| !mentioned.contains(id)) {
        let name = format!("{} [{}]", seen.name(*id, None), edge.evidence.as_str());
        if !left.contains(&name) {
            left.push(name);
        }
    }
    problems.extend(left.into_iter().map(|name| Problem::new(at, format!("not said: {name}"))));
}

fn wrong_evidence(target: &Target, edges: &[&Edge]) -> Option<String> {
    let Some(first) = edges.first() else { return Some(format!("`{}` is not in the answer", target.name)) };
    let evidence = target.evidence.as_ref()?;
    let right = edges.iter().any(|edge| edge.evidence.as_str() == evidence);
    (!right).then(|| format!("the evidence for `{}` is {}, not {evidence}", target.name, first.evidence.as_str()))
}

/// The answer as an update writes it; what was said and is right stays as it was written.
fn shown_answer(seen: &Seen, said: &[Target], found: &[(Id, &Edge)]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut done: BTreeSet<Id> = BTreeSet::new();
    for (id, edge) in found {
        if !done.insert(*id) {
            continue;
        }
        let written = said.iter().find(|target| seen.symbol(&target.name, None) == Ok(*id));
        let name = written.map_or_else(|| seen.name(*id, None), |target| target.name.clone());
        let plain = written.is_some_and(|target| target.evidence.is_none());
        parts.push(if plain { name } else { format!("{name} [{}]", edge.evidence.as_str()) });
    }
    if parts.is_empty() { "none".to_string() } else { parts.join(", ") }
}

/// `A > B`, `A > B: KIND`, `A > B: KIND [EVIDENCE]`.
fn read_edge(seen: &Seen, text: &str) -> Result<(Id, Id, Option<Target>), String> {
    let (from, rest) = text.split_once(" > ").ok_or_else(|| unknown(text))?;
    let (to, what) = rest.split_once(": ").map_or((rest, None), |(to, what)| (to, Some(what)));
    let what = what.map(read_target).transpose()?;
    let symbol = |name: &str| seen.symbol(name.trim().trim_matches('`'), None);
    Ok((symbol(from)?, symbol(to)?, what))
}

fn found_edge<'s>(seen: &'s Seen, text: &str) -> Result<Vec<&'s Edge>, String> {
    let (from, to, what) = read_edge(seen, text)?;
    let (kind, evidence) = match &what {
        Some(what) => {
            let kind = pieces(&what.name, ' ').first().and_then(|word| EdgeWord::read(word));
            (Some(kind.ok_or_else(|| unknown(text))?), what.evidence.as_deref())
        }
        None => (None, None),
    };
    let fits = |edge: &&Edge| {
        (edge.from, edge.to) == (from, to)
            && kind.is_none_or(|kind| kind.0 == edge.kind)
            && evidence.is_none_or(|evidence| evidence == edge.evidence.as_str())
    };
    Ok(seen.edges.iter().filter(fits).collect())
}
