//! The compiled matcher against a slow and obvious one.
//!
//! Both are given the same random programs and patterns of a small language: names, calls, arrays and sums. The oracle
//! works on its own trees and knows no parser, no kinds and no steps: it lists every assignment in the order of
//! preference (`$$$` as short as possible, from the left) and takes the first.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use vise_search::{Bound, Options, Pattern};
use vise_syntax::{Registry, parse};

#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Name(&'static str),
    Call(&'static str, Vec<Tree>),
    Array(Vec<Tree>),
    Sum(Box<Tree>, Box<Tree>),
    One(&'static str),
    Many(&'static str),
}

use Tree::{Array, Call, Many, Name, One, Sum};

/// What metavariables stand for: the texts of their elements.
type Bindings = BTreeMap<&'static str, Vec<String>>;

impl Tree {
    fn text(&self) -> String {
        let list = |trees: &[Tree]| trees.iter().map(Tree::text).collect::<Vec<_>>().join(", ");
        match self {
            Name(name) => (*name).to_owned(),
            Call(name, arguments) => format!("{name}({})", list(arguments)),
            Array(elements) => format!("[{}]", list(elements)),
            // In parentheses, so that the text has one reading whatever stands around it.
            Sum(a, b) => format!("({} + {})", a.text(), b.text()),
            One(name) => format!("${name}"),
            Many(name) => format!("$$${name}"),
        }
    }

    /// This tree and all below it, parents first.
    fn all(&self) -> Vec<&Tree> {
        let mut all = vec![self];
        match self {
            Call(_, below) | Array(below) => all.extend(below.iter().flat_map(Tree::all)),
            Sum(a, b) => all.extend(a.all().into_iter().chain(b.all())),
            _ => {}
        }
        all
    }
}

/// Every assignment with which a pattern is a tree, best first.
fn assignments(pattern: &Tree, tree: &Tree, known: &Bindings) -> Vec<Bindings> {
    match (pattern, tree) {
        (One(name), _) => bind(name, vec![tree.text()], known),
        (Name(a), Name(b)) if a == b => vec![known.clone()],
        (Call(f, a), Call(g, b)) if f == g => lists(a, b, known),
        (Array(a), Array(b)) => lists(a, b, known),
        (Sum(a, b), Sum(c, d)) => assignments(a, c, known).iter().flat_map(|known| assignments(b, d, known)).collect(),
        _ => Vec::new(),
    }
}

fn lists(pattern: &[Tree], trees: &[Tree], known: &Bindings) -> Vec<Bindings> {
    match pattern {
        [] if trees.is_empty() => vec![known.clone()],
        [] => Vec::new(),
        [Many(name), rest @ ..] => (0..=trees.len())
            .flat_map(|count| {
                let texts = trees[..count].iter().map(Tree::text).collect();
                bind(name, texts, known)
                    .into_iter()
                    .flat_map(|known| lists(rest, &trees[count..], &known))
                    .collect::<Vec<_>>()
            })
            .collect(),
        [first, rest @ ..] => match trees {
            [] => Vec::new(),
            [tree, others @ ..] => {
                assignments(first, tree, known).iter().flat_map(|known| lists(rest, others, known)).collect()
            }
        },
    }
}

fn bind(name: &'static str, texts: Vec<String>, known: &Bindings) -> Vec<Bindings> {
    match known.get(name) {
        Some(bound) if *bound != texts => Vec::new(),
        _ => {
            let mut known = known.clone();
            known.insert(name, texts);
            vec![known]
        }
    }
}

fn tree(metavariables: bool) -> impl Strategy<Value = Tree> {
    let leaf = if metavariables {
        prop_oneof![
            3 => prop_oneof![Just(Name("a")), Just(Name("b"))],
            2 => prop_oneof![Just(One("X")), Just(One("Y"))],
            2 => prop_oneof![Just(Many("R")), Just(Many("S"))],
        ]
        .boxed()
    } else {
        prop_oneof![Just(Name("a")), Just(Name("b"))].boxed()
    };
    leaf.prop_recursive(3, 24, 4, |below| {
        let list = prop::collection::vec(below.clone(), 0..5);
        // `$$$` stands for elements of a list; a sum has none.
        let single = below.prop_map(|tree| if let Many(_) = tree { Name("a") } else { tree });
        prop_oneof![
            3 => (prop_oneof![Just("f"), Just("g")], list.clone()).prop_map(|(name, list)| Call(name, list)),
            2 => list.prop_map(Array),
            1 => (single.clone(), single).prop_map(|(a, b)| Sum(Box::new(a), Box::new(b))),
        ]
    })
}

/// The matches of the engine: what each binds, in the order of the text.
fn engine(pattern: &str, source: &str) -> Vec<Bindings> {
    static REGISTRY: LazyLock<Registry> =
        LazyLock::new(|| Registry::embedded().expect("the language files fit their grammars"));
    let language = REGISTRY.by_name("javascript").expect("JavaScript is compiled in");
    let pattern = Pattern::compile(language, pattern, &Options::default()).expect("the pattern parses");
    let document = parse(language, source.as_bytes()).expect("the text is small");
    let found = pattern.find(&document);
    assert!(!found.over_budget);
    let text = |range: std::ops::Range<usize>| source[range].to_owned();
    found.readings[0]
        .iter()
        .map(|found| {
            let bindings = found.bindings.iter().map(|binding| {
                let texts = match &binding.bound {
                    Bound::Many { elements, .. } => elements.iter().map(|node| text(node.range.clone())).collect(),
                    other => vec![text(other.span())],
                };
                let name = ["X", "Y", "R", "S"].into_iter().find(|name| **name == *binding.name).expect("a known name");
                (name, texts)
            });
            bindings.collect()
        })
        .collect()
}

/// A pattern made from a tree: some parts of it are replaced by metavariables, as the dice say.
fn pattern_from(tree: &Tree, dice: &mut impl Iterator<Item = u8>) -> Tree {
    let mut roll = |sides: u8| dice.next().unwrap_or(0) % sides;
    match (roll(5), roll(2)) {
        (0, 0) => return One("X"),
        (0, _) => return One("Y"),
        _ => {}
    }
    let mut list = |trees: &[Tree]| {
        let from = usize::from(dice.next().unwrap_or(0)) % (trees.len() + 1);
        let to = from + usize::from(dice.next().unwrap_or(0)) % (trees.len() - from + 1);
        let name = if dice.next().is_some_and(|die| die < 128) { "R" } else { "S" };
        let with = dice.next().is_some_and(|die| die < 128);
        let mut pattern: Vec<Tree> = trees[..from].iter().map(|tree| pattern_from(tree, &mut *dice)).collect();
        if with {
            pattern.push(Many(name));
        }
        let rest = if with { to } else { from };
        pattern.extend(trees[rest..].iter().map(|tree| pattern_from(tree, &mut *dice)));
        pattern
    };
    match tree {
        Call(name, arguments) => Call(name, list(arguments)),
        Array(elements) => Array(list(elements)),
        Sum(a, b) => Sum(Box::new(pattern_from(a, dice)), Box::new(pattern_from(b, dice))),
        other => other.clone(),
    }
}

fn compare(pattern: &Tree, source: &Tree) -> Result<usize, TestCaseError> {
    let wanted: Vec<Bindings> = source
        .all()
        .into_iter()
        .filter_map(|tree| assignments(pattern, tree, &Bindings::new()).into_iter().next())
        .collect();
    let text = format!("x = {};\n", source.text());
    prop_assert_eq!(engine(&pattern.text(), &text), wanted.clone(), "{} in {}", pattern.text(), text);
    Ok(wanted.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn same_matches_as_the_oracle(pattern in tree(true), source in tree(false)) {
        // A bare name or metavariable has readings of its own; the oracle is about shapes.
        prop_assume!(matches!(pattern, Call(..) | Array(..)));
        compare(&pattern, &source)?;
    }

    #[test]
    fn a_pattern_made_from_the_text_is_found(source in tree(false), dice in prop::collection::vec(any::<u8>(), 60)) {
        for part in source.all() {
            let pattern = pattern_from(part, &mut dice.iter().copied());
            if matches!(pattern, Call(..) | Array(..)) {
                compare(&pattern, &source)?;
            }
        }
    }
}
