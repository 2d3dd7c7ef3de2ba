//! From the nodes that a fragment was read as to the steps that match them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use vise_syntax::{Document, FieldId, Injections, Language, Node, RungName, TreeArena};

use crate::items::{self, is_blank};
use crate::ladder;
use crate::matches::ReadingName;
use crate::metavariable::{Kind, Metavariable, Piece, names};
use crate::program::{Content, Literal, Op, Program, Root, Slot};
use crate::scaffold::{Chosen, Scaffolded};
use crate::strings;

/// How deep a pattern may nest. Matching keeps a frame a level, compiling recurses once a level.
const MAX_DEPTH: usize = 200;

/// What to compile.
pub(crate) struct Request<'a> {
    pub language: &'a Language,
    pub pieces: &'a [Piece],
    pub rung: RungName,
    pub text: &'a Scaffolded,
    pub document: &'a Document<'a>,
    /// Take the widest node that is the fragment, not the deepest: the rung was asked for.
    pub widest: bool,
    /// The fragment ends with the language's terminator.
    pub terminated: bool,
    /// What was appended completes a header and is no part of the pattern.
    pub header: bool,
    pub exact: bool,
}

/// A scaffold parses, but the pattern cannot be taken so.
pub(crate) struct Rejected {
    pub offset: usize,
    pub because: String,
}

/// Compiles the chosen nodes.
pub(crate) fn compile(request: &Request<'_>, chosen: &Chosen<'_>) -> Result<Program, Rejected> {
    let arena = TreeArena::new();
    let injections = Injections::new(request.document, &arena);
    let slots = names(request.pieces).into_iter().enumerate().map(|(slot, (name, _))| (name, slot)).collect();
    let mut builder = Builder {
        request,
        injections: &injections,
        slots,
        by_range: (request.text.stand_ins.iter().enumerate())
            .flat_map(|(number, stand_in)| [(stand_in.bare.clone(), number), (stand_in.range.clone(), number)])
            .collect(),
        seen: vec![false; request.text.stand_ins.len()],
        ops: Vec::new(),
        shown: Vec::new(),
        literals: Vec::new(),
        element: None,
        in_string: false,
        others: Vec::new(),
        end: if request.header { request.text.hole.end } else { usize::MAX },
    };
    let (root, kind) = builder.root(chosen)?;
    builder.push(Op::Done, "");
    builder.all_seen()?;
    let Builder { ops, shown, mut literals, .. } = builder;
    literals.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let live = live(&ops);
    let partial = ops.iter().any(|op| matches!(op, Op::Close { rest: true }));
    Ok(Program {
        name: ReadingName { rung: request.rung, kind, partial },
        root,
        ops,
        literals: literals.into_iter().map(|(_, literal)| literal).collect(),
        live,
        slots: names(request.pieces).into_iter().map(|(name, _)| name).collect(),
        shown,
    })
}

struct Builder<'a, 'd> {
    request: &'a Request<'a>,
    injections: &'d Injections<'d, 'a>,
    slots: FxHashMap<Arc<str>, Slot>,
    /// The stand-in that is exactly this range, with or without the separator at its end.
    by_range: FxHashMap<std::ops::Range<usize>, usize>,
    /// Which stand-ins were found in the tree.
    seen: Vec<bool>,
    ops: Vec<Op>,
    shown: Vec<Arc<str>>,
    literals: Vec<(usize, Literal)>,
    element: Option<usize>,
    /// The children of a string are being compiled.
    in_string: bool,
    /// Fields that the node being compiled has children for, those that complete a header included.
    others: Vec<FieldId>,
    /// Nodes from here on complete a header and are left out.
    end: usize,
}

impl<'d> Builder<'_, 'd> {
    fn root(&mut self, chosen: &Chosen<'d>) -> Result<(Root, String), Rejected> {
        for node in &chosen.nodes {
            if depth_exceeds(*node, MAX_DEPTH) {
                return Err(Rejected { offset: 0, because: format!("it nests deeper than {MAX_DEPTH} levels") });
            }
        }
        if let [node] = chosen.nodes[..] {
            let mut node = match chosen.widest {
                Some(widest) if self.request.widest => widest,
                _ => node,
            };
            let mut statement = false;
            if let Some(inner) = self.inside_statement(node) {
                // `foo($X);` asks for a statement, `foo($X)` for the expression anywhere.
                statement = self.request.terminated;
                node = inner;
            }
            let kind = node.kind().to_owned();
            let root = match self.stand_in(node) {
                Some((_, Kind::Many)) => {
                    return Err(Rejected {
                        offset: 0,
                        because: "`$$$` needs something around it: what is it a list in?".to_owned(),
                    });
                }
                Some(_) => Root::Any { statement },
                None => Root::Kind { kind: node.kind_id(), statement },
            };
            let header = self.request.header || self.ends_as_header(node);
            self.node(node, 0, 0, header)?;
            return Ok((root, kind));
        }
        let mut kinds = Vec::new();
        let mut fixed = true;
        for (number, node) in chosen.nodes.iter().enumerate() {
            fixed &= !matches!(self.many_inside(*node), Some((_, Kind::Many)));
            self.element = fixed.then_some(number);
            kinds.push(node.kind());
            self.node(*node, 0, 1, false)?;
        }
        if self.ops.iter().all(|op| matches!(op, Op::Many { .. })) {
            return Err(Rejected { offset: 0, because: "it has nothing but `$$$` in it".to_owned() });
        }
        let parent = chosen.parent.map_or(0, Node::kind_id);
        let listed = self.request.language.containers.contains(parent);
        Ok((Root::Run { parent, listed }, kinds.join(" ")))
    }

    /// A `case X:` whose body is not given.
    fn ends_as_header(&self, node: Node<'_>) -> bool {
        self.request.language.header_kinds.contains(node.kind_id())
            && ladder::ends_as_header(self.request.language, self.request.pieces)
    }

    /// Steps for a node. `header`: what the fragment does not mention at the node's end may be anything.
    fn node(&mut self, node: Node<'d>, field: FieldId, depth: usize, header: bool) -> Result<(), Rejected> {
        let language = self.request.language;
        if self.skipped(node) {
            return Ok(());
        }
        if let Some((number, kind)) = self.many_inside(node) {
            self.seen[number] = true;
            let slot = self.slot(number);
            let op = match kind {
                // What stands in no field keeps out of those that the pattern has other nodes for.
                Kind::One if field == 0 => Op::One { slot, field, not: self.others.clone().into() },
                Kind::One => Op::One { slot, field, not: Box::default() },
                Kind::Token => Op::Token { slot, field },
                Kind::Many => Op::Many { slot, container: self.container(node) },
            };
            self.push(op, &self.piece_text(number));
            return Ok(());
        }
        if depth > 0
            && let Some(inner) = self.inside_statement(node)
        {
            return self.node(inner, field, depth, header);
        }
        if language.strings.contains(node.kind_id()) && self.string(node, field, depth)? {
            return Ok(());
        }
        if node.child_count() == 0 {
            return self.leaf(node, field, depth);
        }
        if let Some(inside) = self.injections.covers(node).then(|| self.injections.read(node)).flatten() {
            return self.reread(node, inside, field, depth);
        }
        let between = items::between(language, node, self.request.text.text.as_bytes()).into();
        let attribute = !self.request.exact && language.open_attributes.contains(node.kind_id());
        let kind = node.kind_id();
        self.push(if attribute { Op::Attribute { kind } } else { Op::Open { kind, field, between } }, node.kind());
        self.children(node, node.children(), depth)?;
        self.push(Op::Close { rest: header }, "");
        Ok(())
    }

    fn children(&mut self, node: Node<'d>, children: Vec<(Node<'d>, FieldId)>, depth: usize) -> Result<(), Rejected> {
        let language = self.request.language;
        let end = self.end;
        let fields = children.iter().map(|(_, field)| *field).filter(|field| *field != 0).collect();
        let outer = std::mem::replace(&mut self.others, fields);
        let in_string = std::mem::replace(&mut self.in_string, language.strings.contains(node.kind_id()));
        let mut children: Vec<_> = children.into_iter().filter(|(child, _)| child.start() < end).collect();
        if !self.request.exact {
            // Attributes that are named come first, whatever their order; `$$$` takes what they leave.
            let open = |child: Node<'d>| language.open_attributes.contains(child.kind_id());
            let (named, mut rest): (Vec<_>, Vec<_>) =
                children.into_iter().partition(|(child, _)| open(*child) && self.many_inside(*child).is_none());
            for (child, field) in named {
                self.node(child, field, depth + 1, false)?;
            }
            rest.retain(|(child, _)| match self.many_inside(*child) {
                Some((number, Kind::Many)) if open(*child) => {
                    self.seen[number] = true;
                    let slot = self.slot(number);
                    self.push(Op::Attributes { slot }, &self.piece_text(number));
                    false
                }
                _ => true,
            });
            children = rest;
        }
        let significant = language.significant_separators.contains(node.kind_id());
        for (index, (child, field)) in children.iter().enumerate() {
            if language.separators.contains(child.kind_id()) {
                // A separator beside `$$$` or at the end of the list may be missing in the source.
                let many = |at: Option<usize>| {
                    at.and_then(|at| children.get(at))
                        .is_some_and(|(near, _)| matches!(self.many_inside(*near), Some((_, Kind::Many))))
                };
                let last = children[index + 1..]
                    .iter()
                    .all(|(later, _)| !later.is_named() || language.separators.contains(later.kind_id()));
                if !significant || last || many(index.checked_sub(1)) || many(Some(index + 1)) {
                    continue;
                }
                self.push(Op::Unnamed { kind: child.kind_id(), field: 0 }, child.kind());
                continue;
            }
            self.node(*child, *field, depth + 1, false)?;
        }
        self.others = outer;
        self.in_string = in_string;
        Ok(())
    }

    /// A node whose text can be read again is matched as what it was read as, else token by token.
    fn reread(&mut self, node: Node<'d>, inside: Node<'d>, field: FieldId, depth: usize) -> Result<(), Rejected> {
        let kind = node.kind_id();
        let either = self.ops.len();
        self.push(Op::Either { other: 0 }, "");
        self.push(Op::Reread { kind, field }, node.kind());
        let hole = node.start() + 1..node.end() - 1;
        let within =
            inside.children().into_iter().filter(|(child, _)| child.start() >= hole.start && child.end() <= hole.end);
        self.children(inside, within.collect(), depth)?;
        self.push(Op::Close { rest: false }, "");
        let jump = self.ops.len();
        self.push(Op::Jump { to: 0 }, "");
        self.ops[either] = Op::Either { other: self.ops.len() };
        // What every match contains has been noted once already.
        let literals = self.literals.len();
        self.push(Op::Open { kind, field, between: Box::default() }, node.kind());
        self.children(node, node.children(), depth)?;
        self.push(Op::Close { rest: false }, "");
        self.literals.truncate(literals);
        self.ops[jump] = Op::Jump { to: self.ops.len() };
        Ok(())
    }

    /// A plain string is compared by what stands between its quotes. False: it is not plain.
    fn string(&mut self, node: Node<'d>, field: FieldId, depth: usize) -> Result<bool, Rejected> {
        if !strings::is_plain(node) {
            return Ok(false);
        }
        let Some(string) = strings::split(self.bytes(node)) else { return Ok(false) };
        let start = node.start() + string.content.start;
        let range = start..node.start() + string.content.end;
        let prefix: Box<[u8]> = string.prefix.into();
        let held = (self.request.text.stand_ins.iter())
            .position(|stand_in| [&stand_in.word, &stand_in.bare, &stand_in.range].contains(&&range));
        let content = match held {
            Some(number) if self.kind(number) != Kind::Many => {
                self.seen[number] = true;
                Content::Any(self.slot(number))
            }
            _ => Content::Literal(self.restored(range)),
        };
        if let Content::Literal(text) = &content
            && !text.is_empty()
        {
            self.literal(text.clone(), false, true, depth);
        }
        let shown = String::from_utf8_lossy(self.bytes(node)).into_owned();
        self.push(Op::Text { kind: node.kind_id(), field, prefix, content }, &shown);
        Ok(true)
    }

    fn leaf(&mut self, node: Node<'d>, field: FieldId, depth: usize) -> Result<(), Rejected> {
        let language = self.request.language;
        let range = node.range();
        let stand_ins = &self.request.text.stand_ins;
        let inside = stand_ins.partition_point(|stand_in| stand_in.word.end <= range.start);
        let inside = stand_ins.get(inside).filter(|stand_in| stand_in.word.start < range.end).map(|_| inside);
        let text: Box<[u8]> = match inside {
            None => self.bytes(node).into(),
            Some(number) if self.is_literal(node) => {
                // Inside the text of a string a metavariable is text.
                self.seen[number] = true;
                self.restored(range)
            }
            Some(number) => {
                return Err(Rejected {
                    offset: self.hole(number).range.start,
                    because: format!(
                        "`{}` stands inside a longer word; a metavariable stands for a whole node (`\\$` is a dollar)",
                        self.piece_text(number)
                    ),
                });
            }
        };
        let shown = String::from_utf8_lossy(&text).into_owned();
        if node.is_named() && node.kind() != shown && language.description.reserved.contains(&shown) {
            return Err(Rejected { offset: 0, because: format!("`{shown}` is a keyword, not a name") });
        }
        // The text of a token is not always that of the pattern: keywords in any case, `is  not`, quotes.
        let spelled = |byte: &u8| !byte.is_ascii_alphabetic() || !language.description.any_case_keywords;
        let quote = self.in_string && strings::is_quote(&text);
        // Some grammars name their keywords.
        let keyword = language.description.any_case_keywords && node.kind().starts_with("keyword");
        let literal =
            node.is_named() && !keyword || text.iter().all(|byte| spelled(byte) && !byte.is_ascii_whitespace());
        if quote && !node.is_named() {
            return Ok(());
        }
        if literal && !quote && !text.is_empty() {
            let letter = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
            let word = !language.description.markup && letter(text.first()) && letter(text.last());
            self.literal(text.clone(), word, node.is_named(), depth);
        }
        let op = if node.is_named() {
            let text = match (quote, keyword) {
                (true, _) => strings::without_quotes(&text).into(),
                (_, true) => Box::default(),
                _ => text,
            };
            Op::Leaf { kind: node.kind_id(), field, text, quote }
        } else {
            Op::Unnamed { kind: node.kind_id(), field }
        };
        self.push(op, &shown);
        Ok(())
    }

    fn literal(&mut self, text: Box<[u8]>, word: bool, named: bool, depth: usize) {
        // Long words are rare; keywords and signs are in every file, but still say where to look.
        let rank = text.len().min(50) + if named { 100 } else { 0 };
        self.literals.push((rank, Literal { text, word, depth, element: self.element }));
    }

    /// Comments, separators and nodes without text say nothing about shape.
    fn skipped(&self, node: Node<'_>) -> bool {
        let language = self.request.language;
        node.is_extra()
            || language.comments.contains(node.kind_id())
            || !self.in_string && is_blank(node, self.request.text.text.as_bytes())
            || node.start() == node.end()
    }

    /// Text that lies in a string, or is one without quotes.
    fn is_literal(&self, node: Node<'_>) -> bool {
        let language = self.request.language;
        let mut top = self.request.document.root();
        loop {
            if language.strings.contains(top.kind_id()) {
                return true;
            }
            let below = top.children().into_iter().map(|(child, _)| child);
            let next = below.into_iter().find(|child| child.start() <= node.start() && child.end() >= node.end());
            match next {
                Some(child) if child != node => top = child,
                _ => return language.strings.contains(node.kind_id()),
            }
        }
    }

    /// The expression that a node holds in the place of a statement.
    fn inside_statement(&self, node: Node<'d>) -> Option<Node<'d>> {
        if !self.request.language.expression_statements.contains(node.kind_id()) {
            return None;
        }
        only_named_child(self.request.language, node)
    }

    /// The stand-in that a node is exactly.
    fn stand_in(&self, node: Node<'_>) -> Option<(usize, Kind)> {
        // A paragraph or a preprocessor's line has its line break in it.
        let blanks = self.bytes(node).iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        let number = *self.by_range.get(&(node.start()..node.end() - blanks))?;
        let kind = self.kind(number);
        (node.is_named() || kind == Kind::Token).then_some((number, kind))
    }

    /// The stand-in that a node is, or for `$$$;` the one in it beside terminators.
    fn many_inside(&self, node: Node<'d>) -> Option<(usize, Kind)> {
        if let Some((number, kind)) = self.stand_in(node) {
            // In some lists a lone `$X` is the one element.
            let list =
                kind == Kind::One && node.child_count() > 0 && self.request.language.lists.contains(node.kind_id());
            return (!list).then_some((number, kind));
        }
        let inner = only_named_child(self.request.language, node)?;
        self.stand_in(inner).filter(|(_, kind)| *kind == Kind::Many)
    }

    /// The kind of list that `$$$` fills all alone, without delimiters of its own.
    fn container(&self, node: Node<'_>) -> Option<vise_syntax::KindId> {
        (self.request.language.containers.contains(node.kind_id()) && node.child_count() > 0).then(|| node.kind_id())
    }

    fn all_seen(&self) -> Result<(), Rejected> {
        match self.seen.iter().position(|seen| !seen) {
            None => Ok(()),
            Some(number) => Err(Rejected {
                offset: self.hole(number).range.start,
                because: format!("`{}` does not stand for a whole node", self.piece_text(number)),
            }),
        }
    }

    fn hole(&self, number: usize) -> &Metavariable {
        match &self.request.pieces[self.request.text.stand_ins[number].piece] {
            Piece::Hole(hole) => hole,
            Piece::Text(..) => unreachable!("stand-ins are made for metavariables only"),
        }
    }

    fn kind(&self, number: usize) -> Kind {
        self.hole(number).kind
    }

    fn slot(&self, number: usize) -> Option<Slot> {
        self.hole(number).name.as_ref().and_then(|name| self.slots.get(name).copied())
    }

    /// A metavariable as the pattern spells it.
    fn piece_text(&self, number: usize) -> String {
        let hole = self.hole(number);
        let nameless = if hole.kind == Kind::Many { "" } else { "_" };
        format!("{}{}", hole.kind.sigil(), hole.name.as_deref().unwrap_or(nameless))
    }

    /// A range of the scaffolded text, with the metavariables as the pattern spells them.
    fn restored(&mut self, range: std::ops::Range<usize>) -> Box<[u8]> {
        let text = self.request.text;
        let mut out = Vec::new();
        let mut at = range.start;
        for (number, stand_in) in text.stand_ins.iter().enumerate() {
            if stand_in.range.start < range.start || stand_in.range.end > range.end {
                continue;
            }
            self.seen[number] = true;
            out.extend_from_slice(&text.text.as_bytes()[at..stand_in.range.start]);
            let hole = self.hole(number);
            out.extend_from_slice(hole.kind.sigil().as_bytes());
            out.extend_from_slice(hole.name.as_deref().unwrap_or("").as_bytes());
            at = stand_in.range.end;
        }
        out.extend_from_slice(&text.text.as_bytes()[at..range.end]);
        out.into()
    }

    fn bytes(&self, node: Node<'_>) -> &[u8] {
        &self.request.text.text.as_bytes()[node.range()]
    }

    fn push(&mut self, op: Op, shown: &str) {
        self.ops.push(op);
        self.shown.push(shown.into());
    }
}

/// The only named child of a node that has but separators beside it.
pub(crate) fn only_named_child<'t>(language: &Language, node: Node<'t>) -> Option<Node<'t>> {
    let mut only = None;
    for (child, _) in node.children() {
        if child.is_extra() || language.comments.contains(child.kind_id()) || child.start() == child.end() {
            continue;
        }
        if language.separators.contains(child.kind_id()) {
            continue;
        }
        if child.is_named() {
            if only.replace(child).is_some() {
                return None;
            }
        } else {
            return None;
        }
    }
    only
}

fn depth_exceeds(node: Node<'_>, limit: usize) -> bool {
    let mut cursor = node.walk();
    let mut depth = 0;
    loop {
        if cursor.first_child() {
            depth += 1;
            if depth > limit {
                return true;
            }
            continue;
        }
        while !cursor.next_sibling() {
            if !cursor.parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// For each step, the slots bound before it and looked at from it on.
fn live(ops: &[Op]) -> Vec<Box<[Slot]>> {
    let slot = |op: &Op| match op {
        Op::One { slot, .. }
        | Op::Token { slot, .. }
        | Op::Many { slot, .. }
        | Op::Attributes { slot }
        | Op::Text { content: Content::Any(slot), .. } => *slot,
        _ => None,
    };
    let mut first: FxHashMap<Slot, usize> = FxHashMap::default();
    let mut last: FxHashMap<Slot, usize> = FxHashMap::default();
    for (index, op) in ops.iter().enumerate() {
        if let Some(slot) = slot(op) {
            first.entry(slot).or_insert(index);
            last.insert(slot, index);
        }
    }
    let repeated: Vec<(Slot, usize, usize)> = first
        .iter()
        .filter_map(|(slot, first)| last.get(slot).map(|last| (*slot, *first, *last)))
        .filter(|(_, first, last)| first < last)
        .collect();
    (0..ops.len())
        .map(|at| {
            let mut live: Vec<Slot> = repeated
                .iter()
                .filter(|(_, first, last)| *first < at && at <= *last)
                .map(|(slot, _, _)| *slot)
                .collect();
            live.sort_unstable();
            live.into()
        })
        .collect()
}
