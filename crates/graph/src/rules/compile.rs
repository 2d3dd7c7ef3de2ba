//! From trees of patterns to what the walk compares: names become the grammar's numbers, roles and parts are told apart.

use regex::bytes::Regex;
use vise_syntax::{FieldId, KindId, KindSet, Language};

use super::parse::{Item, Predicate, Quantifier, Shape, Tree, parse};
use super::words::{Part, Role, Settings};
use super::{Kind, Rules, Words};

/// A pattern that gives one node a role.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The role.
    pub role: Role,
    /// Its settings.
    pub settings: Settings,
    /// The outermost node.
    pub root: Alt,
    /// Whether nodes outside the one with the role have parts of it.
    pub shared: bool,
    /// How many levels the node with the role is below the outermost one.
    pub depth: u16,
    /// How many levels above the node with the role its definition begins, where it shares a header with others.
    pub header: u16,
    /// Whether it has a part that is a name, or one that is a target.
    pub has_name: bool,
    /// Captures whose texts must be equal, or must not.
    pub pairs: Vec<Pair>,
    /// Whether it has a part that is the function or type that it defines.
    pub has_lambda: bool,
}

/// Two captures whose texts are compared.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Their numbers.
    pub captures: [u8; 2],
    /// Whether they must differ.
    pub differ: bool,
}

/// A part of a sequence of children.
#[derive(Debug)]
pub(crate) struct Piece {
    /// What it may be.
    pub alts: Vec<Alt>,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it must be the first named child, or stand right behind the piece before.
    pub anchored: bool,
    /// Whether it must be the last named child.
    pub last: bool,
}

/// One node.
#[derive(Debug)]
pub(crate) struct Alt {
    /// Its kind.
    pub kinds: Kinds,
    /// Its field; 0 for any.
    pub field: FieldId,
    /// Conditions on its text.
    pub checks: Vec<Check>,
    /// What it is to the role.
    pub parts: Vec<Part>,
    /// Numbers of captures that are compared with others.
    pub ids: Vec<u8>,
    /// Its children.
    pub pieces: Vec<Piece>,
    /// Fields that it must not have.
    pub absent: Vec<FieldId>,
    /// Whether it gets the role.
    pub is_role: bool,
    /// Whether the node with the role is below it.
    pub on_path: bool,
    /// Whether there are parts or the role below it.
    pub below: bool,
    /// Whether its children decide if it fits.
    pub strict: bool,
}

/// Kinds that fit.
#[derive(Debug)]
pub(crate) enum Kinds {
    /// This one.
    One(KindId),
    /// All named ones.
    Named,
    /// Some.
    Set(KindSet),
}

/// A condition on a text.
#[derive(Debug)]
pub(crate) struct Check {
    /// Whether it must not hold.
    negated: bool,
    test: TextTest,
}

#[derive(Debug)]
enum TextTest {
    Equals(Vec<String>),
    Matches(Regex),
}

impl Check {
    /// Whether a text fulfils the condition.
    pub(crate) fn holds(&self, text: &[u8]) -> bool {
        let found = match &self.test {
            TextTest::Equals(texts) => texts.iter().any(|known| known.as_bytes() == text),
            TextTest::Matches(regex) => regex.is_match(text),
        };
        found != self.negated
    }
}

/// Why a pattern cannot be compiled.
enum Fault {
    /// The grammar has no such kind or field; what is inherited may say such things.
    Unknown(String),
    /// Anything else.
    Wrong(String),
}

pub(super) fn compile(language: &Language) -> Result<Rules, String> {
    let d = &language.description;
    let mut rules = Rules {
        kinds: Vec::new(),
        patterns: Vec::new(),
        body: language.field_id("body"),
        words: Words::new(d.graph.as_ref()).map_err(|error| format!("{}: {error}", d.name))?,
        blank: Vec::new(),
    };
    for noise in d.graph.iter().flat_map(|graph| &graph.blank) {
        rules.blank.push(Regex::new(noise).map_err(|error| format!("{}: blank: {error}", d.name))?);
    }
    let mut compiler = Compiler { language, tokens: KindSet::default(), all: Vec::new() };
    for query in &language.queries {
        let items = parse(&query.text).map_err(|error| format!("queries/{}:{error}", query.file))?;
        for item in &items {
            match compiler.item(item, query.inherited) {
                Ok(()) => {}
                Err(Fault::Unknown(_)) if query.inherited => {}
                Err(Fault::Unknown(error) | Fault::Wrong(error)) => {
                    return Err(format!("queries/{}:{error}", query.file));
                }
            }
        }
    }
    let mut kinds: Vec<Kind> = (0..language.kind_count())
        .map(|id| KindId::try_from(id).unwrap_or_default())
        .map(|id| Kind { named: language.is_named(id), ..Kind::default() })
        .collect();
    for (id, kind) in kinds.iter_mut().enumerate() {
        let id = KindId::try_from(id).unwrap_or_default();
        kind.skipped = if kind.named { language.comments.contains(id) } else { !compiler.tokens.contains(id) };
    }
    kinds.push(Kind { named: true, ..Kind::default() });
    for (number, pattern) in compiler.all.iter().enumerate() {
        let number = u16::try_from(number).map_err(|_| format!("{}: too many patterns", d.name))?;
        let hands_down = matches!(pattern.role, Role::Through | Role::Member | Role::Apply);
        for (id, kind) in kinds.iter_mut().enumerate() {
            let id = KindId::try_from(id).unwrap_or(KindId::MAX);
            if pattern.root.kinds.contain(id, kind.named) {
                let list = if pattern.root.is_role { &mut kind.own } else { &mut kind.outer };
                list.push(number);
                // A comment that somebody has a pattern for is a node like others.
                kind.skipped = false;
            }
            if hands_down {
                let role = role_alt(&pattern.root);
                kind.redirects |= role.is_some_and(|alt| alt.kinds.name(id));
            }
        }
    }
    rules.kinds = kinds;
    rules.patterns = compiler.all;
    Ok(rules)
}

/// The node that gets the role.
fn role_alt(alt: &Alt) -> Option<&Alt> {
    if alt.is_role {
        return Some(alt);
    }
    alt.pieces.iter().flat_map(|piece| &piece.alts).find_map(role_alt)
}

impl Kinds {
    /// Whether a kind fits.
    pub(crate) fn contain(&self, kind: KindId, named: bool) -> bool {
        match self {
            Self::One(one) => *one == kind,
            Self::Named => named,
            Self::Set(set) => set.contains(kind),
        }
    }

    /// Whether the kind is named here.
    fn name(&self, kind: KindId) -> bool {
        !matches!(self, Self::Named) && self.contain(kind, true)
    }
}

struct Compiler<'a> {
    language: &'a Language,
    /// Tokens that patterns name.
    tokens: KindSet,
    all: Vec<Pattern>,
}

/// What holds for all nodes of a pattern.
struct Around<'a> {
    predicates: &'a [Predicate],
    inherited: bool,
    /// Captures that are compared with each other.
    compared: Vec<&'a str>,
    /// The node that gets the role, by its address: lines and columns do not tell nodes apart.
    role: *const Tree,
    /// Whether captures are no parts.
    partless: bool,
}

impl Compiler<'_> {
    fn item(&mut self, item: &Item, inherited: bool) -> Result<(), Fault> {
        self.pattern(&item.pattern, &[], item, inherited)
    }

    /// One pattern, or several where the outermost node is a list of them.
    fn pattern(&mut self, tree: &Tree, more: &[String], item: &Item, inherited: bool) -> Result<(), Fault> {
        if let Shape::OneOf(choices) = &tree.shape {
            let captures: Vec<String> = tree.captures.iter().chain(more).cloned().collect();
            for choice in choices {
                match self.pattern(choice, &captures, item, inherited) {
                    Err(Fault::Unknown(_)) if inherited => {}
                    other => other?,
                }
            }
            return Ok(());
        }
        let line = item.line;
        let Some((node, role)) = find_role(tree, more) else {
            return Err(Fault::Wrong(format!("{line}: the pattern gives no node a role")));
        };
        let mut settings = Settings::default();
        for setting in &item.settings {
            settings
                .add(&setting.key, setting.value.as_deref())
                .map_err(|error| Fault::Wrong(format!("{}: {error}", setting.line)))?;
        }
        let mut compared = Vec::new();
        let mut pairs = Vec::new();
        for predicate in &item.predicates {
            if !has_capture(tree, &predicate.capture) && !more.contains(&predicate.capture) {
                let message = format!("{}: the pattern captures no `@{}`", predicate.line, predicate.capture);
                return Err(Fault::Wrong(message));
            }
            if let Some(other) = &predicate.other {
                let mut number = |name| {
                    compared.iter().position(|known| *known == name).unwrap_or_else(|| {
                        compared.push(name);
                        compared.len() - 1
                    }) as u8
                };
                let captures = [number(predicate.capture.as_str()), number(other.as_str())];
                pairs.push(Pair { captures, differ: predicate.negated });
            }
        }
        let around = Around { predicates: &item.predicates, inherited, compared, role: node, partless: false };
        let root = self.alt(tree, more, 0, &around)?;
        let shared = !root.is_role && has_shared(&root);
        let has = |part: &[Part]| any(&root, &|alt| alt.parts.iter().any(|found| part.contains(found)));
        let has_lambda = has(&[Part::Lambda]);
        let has_name = has(&[Part::Name, Part::Target]);
        let (depth, header) = levels(&root);
        self.all.push(Pattern { role, settings, root, shared, depth, header, has_name, pairs, has_lambda });
        for (node, role) in more_roles(tree, node) {
            // Another node with a role, where the first is the context: it has no parts.
            let around = Around { role: node, partless: true, compared: Vec::new(), ..around };
            let root = self.alt(tree, more, 0, &around)?;
            let settings = Settings::default();
            let (depth, _) = levels(&root);
            self.all.push(Pattern {
                role,
                settings,
                root,
                shared: false,
                depth,
                header: 0,
                has_name: false,
                pairs: Vec::new(),
                has_lambda: false,
            });
        }
        Ok(())
    }

    fn alt(&mut self, tree: &Tree, more: &[String], field: FieldId, around: &Around<'_>) -> Result<Alt, Fault> {
        let line = tree.line;
        let unknown = |what: &str, name: &str| Fault::Unknown(format!("{line}: the grammar has no {what} `{name}`"));
        let kinds = match &tree.shape {
            Shape::Any | Shape::OneOf(_) => Kinds::Named,
            Shape::Named(name) => match self.language.subtypes(name) {
                Some(kinds) if kinds.is_empty() => {
                    return Err(Fault::Wrong(format!(
                        "{line}: the grammar does not tell which kinds `{name}` stands for"
                    )));
                }
                Some(kinds) => {
                    let mut set = KindSet::default();
                    kinds.into_iter().for_each(|kind| set.insert(kind));
                    Kinds::Set(set)
                }
                None => Kinds::One(self.language.kind_id(name).ok_or_else(|| unknown("named kind", name))?),
            },
            Shape::Token(text) => {
                let id = self.language.token_id(text).ok_or_else(|| unknown("token", text))?;
                self.tokens.insert(id);
                Kinds::One(id)
            }
        };
        let field = match &tree.field {
            Some(name) => self.field(line, name)?,
            None => field,
        };
        let is_role = std::ptr::eq(tree, around.role);
        let mut parts = Vec::new();
        let mut checks = Vec::new();
        let mut ids = Vec::new();
        for capture in tree.captures.iter().chain(more) {
            for predicate in around.predicates.iter().filter(|p| p.capture == *capture && p.other.is_none()) {
                checks.push(check(predicate).map_err(Fault::Wrong)?);
            }
            let number = around.compared.iter().position(|name| name == capture);
            ids.extend(number.and_then(|number| u8::try_from(number).ok()));
            let word = Role::from_word(capture);
            // What gives the node its role, or another role, is no part.
            let no_part = is_role && (word.is_some() || capture == "through") || matches!(word, Some((_, false)));
            if capture.starts_with('_') || around.partless || no_part {
                continue;
            }
            match Part::from_word(capture) {
                Some(part) => parts.push(part),
                None => return Err(Fault::Wrong(format!("{line}: there is no role or part `@{capture}`"))),
            }
        }
        let mut pieces = Vec::new();
        for (number, child) in tree.children.iter().enumerate() {
            let mut alts = Vec::new();
            let field = match &child.field {
                Some(name) => self.field(child.line, name)?,
                None => 0,
            };
            self.alts(child, &[], field, around, &mut alts)?;
            pieces.push(Piece {
                alts,
                required: child.quantifier == Quantifier::Some,
                anchored: child.anchored,
                last: tree.last_anchored && number + 1 == tree.children.len(),
            });
        }
        let absent = tree.absent.iter().map(|name| self.field(line, name)).collect::<Result<Vec<_>, _>>()?;
        let inner = || pieces.iter().flat_map(|piece| &piece.alts);
        let below = inner().any(|alt| alt.is_role || alt.below || !alt.parts.is_empty());
        let strict = !absent.is_empty() || pieces.iter().any(|piece| piece.required);
        let on_path = inner().any(|alt| alt.is_role || alt.on_path);
        Ok(Alt { kinds, field, checks, parts, ids, pieces, absent, is_role, on_path, below, strict })
    }

    /// The alternatives of a child: itself, or those of its list.
    fn alts(
        &mut self,
        tree: &Tree,
        more: &[String],
        field: FieldId,
        around: &Around<'_>,
        out: &mut Vec<Alt>,
    ) -> Result<(), Fault> {
        let Shape::OneOf(choices) = &tree.shape else {
            out.push(self.alt(tree, more, field, around)?);
            return Ok(());
        };
        let captures: Vec<String> = tree.captures.iter().chain(more).cloned().collect();
        let given = match &tree.field {
            Some(name) => self.field(tree.line, name)?,
            None => field,
        };
        let before = out.len();
        let mut last = None;
        for choice in choices {
            match self.alts(choice, &captures, given, around, out) {
                Err(Fault::Unknown(error)) if around.inherited => last = Some(error),
                other => other?,
            }
        }
        if std::ptr::eq(tree, around.role) {
            for alt in &mut out[before..] {
                alt.is_role = true;
                let is_role = |part: &Part| {
                    let same = |word: &&String| Part::from_word(word) == Some(*part);
                    tree.captures.iter().filter(same).any(|word| Role::from_word(word).is_some() || word == "through")
                };
                alt.parts.retain(|part| !is_role(part));
            }
        }
        match last {
            Some(error) if out.len() == before => Err(Fault::Unknown(error)),
            _ => Ok(()),
        }
    }

    fn field(&self, line: usize, name: &str) -> Result<FieldId, Fault> {
        let unknown = || Fault::Unknown(format!("{line}: the grammar has no field `{name}`"));
        self.language.field_id(name).ok_or_else(unknown)
    }
}

fn check(predicate: &Predicate) -> Result<Check, String> {
    let test = match (predicate.name.as_str(), predicate.texts.first()) {
        ("match", Some(regex)) => {
            TextTest::Matches(Regex::new(regex).map_err(|error| format!("{}: `{regex}`: {error}", predicate.line))?)
        }
        _ => TextTest::Equals(predicate.texts.clone()),
    };
    Ok(Check { negated: predicate.negated, test })
}

/// The outermost node that has a role's word. A word that is also a part's counts only where no other role is.
fn find_role<'t>(tree: &'t Tree, more: &[String]) -> Option<(&'t Tree, Role)> {
    let first = |rank| find_word(tree, more, rank);
    first(Rank::Main).or_else(|| first(Rank::Plain)).or_else(|| find_through(tree, more)).or_else(|| first(Rank::Both))
}

/// Which roles a pattern is about, the first ones first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    Main,
    Plain,
    /// Words that are parts where there is another role.
    Both,
}

fn find_word<'t>(tree: &'t Tree, more: &[String], rank: Rank) -> Option<(&'t Tree, Role)> {
    let mut level = vec![tree];
    while !level.is_empty() {
        for node in &level {
            let outer = if std::ptr::eq(*node, tree) { more } else { &[] };
            let mut words = node.captures.iter().chain(outer).filter_map(|word| Role::from_word(word));
            let ranked = |role: &Role, also_part| match also_part {
                true => Rank::Both,
                false if role.is_plain() => Rank::Plain,
                false => Rank::Main,
            };
            if let Some((role, _)) = words.find(|(role, also_part)| ranked(role, *also_part) == rank) {
                return Some((node, role));
            }
        }
        level = level.into_iter().flat_map(below).collect();
    }
    None
}

/// Nodes below the one with the role that have a role's word of their own.
fn more_roles(tree: &Tree, first: *const Tree) -> Vec<(&Tree, Role)> {
    let mut found = Vec::new();
    let mut left = below(tree);
    while let Some(node) = left.pop() {
        let mut roles = node.captures.iter().filter_map(|word| Role::from_word(word));
        if let Some((role, _)) = roles.find(|(_, also_part)| !also_part).filter(|_| !std::ptr::eq(node, first)) {
            found.push((node, role));
        }
        left.extend(below(node));
    }
    found
}

/// The node around the one that has the word `@through`, or that node itself where it is the outermost.
fn find_through<'t>(tree: &'t Tree, more: &[String]) -> Option<(&'t Tree, Role)> {
    if tree.captures.iter().chain(more).any(|word| word == "through") {
        return Some((tree, Role::Through));
    }
    let mut left = vec![tree];
    while let Some(node) = left.pop() {
        for child in &node.children {
            let inside = |tree: &Tree| tree.captures.iter().any(|word| word == "through");
            let list = matches!(&child.shape, Shape::OneOf(choices) if choices.iter().any(inside));
            if inside(child) || list {
                return Some((node, Role::Through));
            }
            left.extend(std::iter::once(child).chain(below(child)));
        }
    }
    None
}

fn below(tree: &Tree) -> Vec<&Tree> {
    let choices: &[Tree] = match &tree.shape {
        Shape::OneOf(choices) => choices,
        _ => &[],
    };
    choices.iter().chain(&tree.children).collect()
}

fn has_capture(tree: &Tree, name: &str) -> bool {
    tree.captures.iter().any(|known| known == name) || below(tree).into_iter().any(|child| has_capture(child, name))
}

/// Whether a node outside the one with the role is a part of it.
fn has_shared(alt: &Alt) -> bool {
    !alt.is_role
        && (alt.parts.iter().any(|part| *part != Part::Ignore)
            || alt.pieces.iter().flat_map(|piece| &piece.alts).any(has_shared))
}

/// Whether something holds for a node of a pattern or one below it.
fn any(alt: &Alt, holds: &impl Fn(&Alt) -> bool) -> bool {
    holds(alt) || alt.pieces.iter().flat_map(|piece| &piece.alts).any(|alt| any(alt, holds))
}

/// How many levels the node with the role is below this one, and how many levels above it the outermost node is whose
/// own children are parts.
fn levels(root: &Alt) -> (u16, u16) {
    let (mut depth, mut header) = (0, None);
    let mut alt = root;
    while !alt.is_role {
        let children = || alt.pieces.iter().flat_map(|piece| &piece.alts);
        if children().any(|alt| !alt.is_role && !alt.parts.is_empty()) {
            header.get_or_insert(depth);
        }
        let Some(inner) = children().find(|alt| alt.is_role || alt.on_path) else { break };
        alt = inner;
        depth += 1;
    }
    (depth, header.map_or(0, |header| depth - header))
}
