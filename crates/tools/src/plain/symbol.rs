//! The bytes of a symbol's definition.
//!
//! The graph knows a definition by its lines. Here the tree says which bytes of these lines it is: the outermost node
//! around its name that lies within them. Where something else stands on the same lines nobody can tell where one ends
//! and the other begins, and the edit is refused.

use std::ops::Range;
use std::path::Path;

use vise_edit::{Reason, Refusal};
use vise_syntax::{Language, Node, parse, visit};
use vise_text::{ContentHash, Edit, FileOp, LineIndex, PlacedEdit, line_ending_at, with_line_ending};

use super::edit::Action;
use super::{Target, check_encoding, refused};
use crate::graph::{Located, locate};
use crate::{Session, ToolError};

/// The edit that does `action` to the symbol that `text` names.
pub(super) fn change(
    session: &Session,
    symbol: &str,
    file: Option<&Path>,
    action: Action,
    text: &str,
) -> Result<FileOp, ToolError> {
    let located = locate(session, symbol, file)?;
    let (path, file, source) = Target::read(session, &session.root, Path::new(&located.file))?.existing()?;
    check_encoding(&file, &source, text.as_bytes())?;
    let language = session.registry.by_name(&located.language);
    let definition = language.and_then(|language| definition(language, &source, &located));
    let refuse = |why: &str| {
        let refusal =
            Refusal { file: file.clone(), line: Some(located.line), why: why.to_owned(), reason: Reason::Ambiguous };
        refused(refusal).hint("give the text itself, `old` and `new`, in place of `symbol`")
    };
    let definition = match definition {
        Some(Found::Whole(definition)) => definition,
        Some(Found::Shared) => {
            let why = format!("`{}` shares its lines with something else", located.qualified);
            return Err(refuse(&why));
        }
        None => return Err(refuse(&format!("the definition of `{}` is not found in the tree", located.qualified))),
    };
    let mut edit = edit(&source, &definition, action, text);
    if !text.contains('\r') {
        edit.text = with_line_ending(&edit.text, line_ending_at(&source, edit.range.start));
    }
    let what = format!("{} `{}`", action.word(), located.qualified);
    let edits = vec![PlacedEdit { what, ..PlacedEdit::new(edit) }];
    Ok(FileOp::Splice { path, old: ContentHash::of(&source), edits })
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Before => "insert before",
            Self::After => "insert after",
            Self::Delete => "delete",
        }
    }
}

/// A definition in the text.
struct Definition {
    range: Range<usize>,
    /// Where the comments directly above it begin; the start of the range where there are none.
    lead: usize,
}

enum Found {
    Whole(Definition),
    Shared,
}

fn edit(source: &[u8], definition: &Definition, action: Action, text: &str) -> Edit {
    let Definition { range, lead } = definition;
    let line_start = |offset: usize| source[..offset].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let is_blank = |range: Range<usize>| source[range].iter().all(|byte| matches!(byte, b' ' | b'\t'));
    // What ends the definition and is no part of its node.
    let mut end = range.end;
    if matches!(source.get(end), Some(b';' | b',')) {
        end += 1;
    }
    let line_end = source[end..].iter().position(|byte| *byte == b'\n').map_or(source.len(), |at| end + at + 1);
    let rest = source[end..line_end].iter().all(u8::is_ascii_whitespace);
    let text = text.as_bytes();
    match action {
        Action::Replace => {
            let start = line_start(range.start);
            // A text that brings its own indentation begins where the line does.
            let indented = text.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
            let start = if indented && is_blank(start..range.start) { start } else { range.start };
            let text = text.trim_ascii_end();
            let same_end = end > range.end && text.last() == source.get(range.end);
            Edit { range: start..if same_end { end } else { range.end }, text: text.to_vec() }
        }
        Action::Before => {
            let start = line_start(*lead);
            let start = if is_blank(start..*lead) { start } else { *lead };
            Edit { range: start..start, text: ended(text) }
        }
        Action::After if rest => {
            // A last line without an end gets one, so that the text stands below it.
            let open = source.last() != Some(&b'\n') && line_end == source.len();
            let text = if open { [b"\n", text.trim_ascii_end()].concat() } else { ended(text) };
            Edit { range: line_end..line_end, text }
        }
        Action::After => Edit { range: end..end, text: [b"\n", text.trim_ascii_end()].concat() },
        Action::Delete => {
            let start = line_start(*lead);
            if !rest || !is_blank(start..*lead) {
                return Edit { range: *lead..end, text: Vec::new() };
            }
            // Of the empty lines above and below one part goes too.
            let above = source[..start].ends_with(b"\n\n") || source[..start].ends_with(b"\n\r\n") || start == 0;
            let stop = if above { after_blank_lines(source, line_end) } else { line_end };
            Edit { range: start..stop, text: Vec::new() }
        }
    }
}

/// Where the first line begins that is not empty, from the start of a line on; an empty last line without an end stays.
fn after_blank_lines(source: &[u8], mut from: usize) -> usize {
    while let Some(len) = source[from..].iter().position(|byte| *byte == b'\n') {
        if !source[from..from + len].iter().all(u8::is_ascii_whitespace) {
            break;
        }
        from += len + 1;
    }
    from
}

/// The text with its last line ended.
fn ended(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    text
}

fn definition(language: &Language, source: &[u8], located: &Located) -> Option<Found> {
    let document = parse(language, source).ok()?;
    let (first, last) = located.lines;
    let name = leaf(document.root(), source, &located.name, located.line, 0..source.len())?;
    // Down to the name, by offsets, since a node finds its parent only from the top.
    let mut around: Option<(Node<'_>, Option<Node<'_>>)> = None;
    let mut parent = None;
    let mut node = document.root();
    let is_within = |node: Node<'_>| node.line() >= first && node.end_line() <= last;
    loop {
        if around.is_none() && parent.is_some() && is_within(node) {
            around = Some((node, parent));
        }
        let inside = |child: &Node<'_>| child.start() <= name.start && name.end <= child.end();
        match node.children().into_iter().map(|(child, _)| child).find(|child| inside(child)) {
            Some(child) if node.child_count() > 0 => {
                parent = Some(node);
                node = child;
            }
            _ => break,
        }
    }
    let (node, parent) = around?;
    let mut range = node.range();
    let shared = |(name, line): &(String, usize)| leaf(document.root(), source, name, *line, range.clone()).is_some();
    if node.range() == name || located.beside.iter().any(shared) {
        return Some(Found::Shared);
    }
    // Attributes that stand before the node are siblings of it, and so are comments.
    let siblings: Vec<Node<'_>> = parent?.children().into_iter().map(|(child, _)| child).collect();
    let me = siblings.iter().position(|sibling| sibling.range() == node.range())?;
    let mut lead = range.start;
    let lines = LineIndex::new(source);
    for sibling in siblings[..me].iter().rev() {
        let is_comment = language.description.comments.iter().any(|kind| kind == sibling.kind());
        let is_ours = sibling.line() >= first && sibling.line() < node.line();
        // Some grammars count a comment's line end to the comment.
        let text = source.get(sibling.range())?.trim_ascii_end();
        let below = lines.line_of(sibling.start() + text.len()) + 1;
        let is_above = is_comment && below < lines.line_of(lead) + 1;
        let touches = below + 1 > lines.line_of(lead);
        if !touches || !(is_ours || is_above) {
            break;
        }
        // A comment behind other code belongs to that.
        let start = source[..sibling.start()].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if !source[start..sibling.start()].trim_ascii().is_empty() {
            break;
        }
        lead = sibling.start();
        if is_ours {
            range.start = lead;
        }
    }
    Some(Found::Whole(Definition { range, lead }))
}

/// The first leaf on `line` that is `name` and lies in `within`.
fn leaf(root: Node<'_>, source: &[u8], name: &str, line: usize, within: Range<usize>) -> Option<Range<usize>> {
    let mut found = None;
    visit(root, |node| {
        let near = found.is_none() && node.line() <= line && line <= node.end_line();
        let inside = within.start <= node.start() && node.end() <= within.end;
        if near && inside && node.line() == line && source.get(node.range()) == Some(name.as_bytes()) {
            found = Some(node.range());
        }
        near
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(name: &str, line: usize, lines: (usize, usize), beside: &[(&str, usize)]) -> Located {
        Located {
            file: String::new(),
            language: String::new(),
            name: name.to_owned(),
            qualified: name.to_owned(),
            line,
            lines,
            beside: beside.iter().map(|(name, line)| ((*name).to_owned(), *line)).collect(),
        }
    }

    #[track_caller]
    fn check(language: &str, source: &str, located: &Located, action: Action, text: &str, expected: &str) {
        let registry = vise_syntax::Registry::embedded().unwrap();
        let language = registry.by_name(language).unwrap();
        let Some(Found::Whole(found)) = definition(language, source.as_bytes(), located) else { panic!("not found") };
        let edit = edit(source.as_bytes(), &found, action, text);
        let new = vise_text::apply(source.as_bytes(), &[edit]).unwrap();
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }

    #[test]
    fn python() {
        let source = "import a\n\n# why\n@d\ndef f(x):\n    return x\n\n\ndef g():\n    pass\n";
        let f = located("f", 5, (4, 6), &[]);
        let rest = "\n\n\ndef g():\n    pass\n";
        let with = |text: &str| format!("import a\n\n# why\n{text}{rest}");
        check("python", source, &f, Action::Replace, "def f():\n    pass\n", &with("def f():\n    pass"));
        check("python", source, &f, Action::Delete, "", "import a\n\ndef g():\n    pass\n");
        let before = "import a\n\nX = 1\n# why\n@d\ndef f(x):\n    return x\n\n\ndef g():\n    pass\n";
        check("python", source, &f, Action::Before, "X = 1", before);
        check("python", source, &f, Action::After, "Y = 1\n", &with("@d\ndef f(x):\n    return x\nY = 1"));
    }

    #[test]
    fn members_and_statements() {
        let source = "class A {\n    // one\n    x = 1;\n    m() {\n    }\n}\n";
        let x = located("x", 3, (3, 3), &[]);
        check("typescript", source, &x, Action::Delete, "", "class A {\n    m() {\n    }\n}\n");
        check(
            "typescript",
            source,
            &x,
            Action::Replace,
            "    y = 2;\n",
            "class A {\n    // one\n    y = 2;\n    m() {\n    }\n}\n",
        );
        let source = "export const f = () => 1;\nf();";
        check(
            "typescript",
            source,
            &located("f", 1, (1, 1), &[]),
            Action::Replace,
            "const g = 2;",
            "const g = 2;\nf();",
        );
        let source = "int f(void) { return 1; } // c\n";
        check("c", source, &located("f", 1, (1, 1), &[]), Action::Delete, "", " // c\n");
        let source = "/// Doc.\n#[inline]\nfn f() {}";
        let f = located("f", 3, (2, 3), &[]);
        check("rust", source, &f, Action::After, "fn g() {}\n", "/// Doc.\n#[inline]\nfn f() {}\nfn g() {}");
        check("rust", source, &f, Action::Before, "fn g() {}\n", "fn g() {}\n/// Doc.\n#[inline]\nfn f() {}");
        check("rust", source, &f, Action::Replace, "fn h() {}", "/// Doc.\nfn h() {}");
    }

    #[test]
    fn what_shares_a_line_is_refused() {
        let registry = vise_syntax::Registry::embedded().unwrap();
        let language = registry.by_name("c").unwrap();
        let found = definition(language, b"int a, b;\n", &located("a", 1, (1, 1), &[("b", 1)]));
        assert!(matches!(found, Some(Found::Shared)));
        let found = definition(language, b"int a; int b;\n", &located("a", 1, (1, 1), &[("b", 1)]));
        assert!(matches!(found, Some(Found::Whole(_))));
    }
}
