//! What is known before a file is evaluated: the names in its language's rules, and bounds that stand elsewhere.

use rustc_hash::FxHashMap;
use vise_syntax::rules::GraphRules;

use crate::facts::{Expr, ExprId, ExtensionIx, ScopeId, Target};

use super::hierarchy::Hierarchy;
use super::world::{Atom, World};

/// Member names of the language's rules, as numbers.
pub(crate) struct RuleNames {
    pub(crate) element: Vec<Atom>,
    pub(crate) same: Vec<Atom>,
    pub(crate) adding: Vec<Atom>,
    pub(crate) callable: Vec<Atom>,
    pub(crate) constructors: Vec<Atom>,
    pub(crate) invoking: Vec<Atom>,
    pub(crate) element_callbacks: Vec<Atom>,
    pub(crate) value_callbacks: Vec<Atom>,
    pub(crate) mapping: Vec<Atom>,
    pub(crate) results: Vec<Atom>,
    pub(crate) numbering: Vec<Atom>,
    pub(crate) instances: Vec<Atom>,
    pub(crate) wrapping: Vec<Atom>,
}

impl RuleNames {
    /// The names of a language's rules that some file uses; of the others nothing needs to be known.
    pub(crate) fn new(world: &World<'_>, rules: &GraphRules) -> Self {
        let numbers =
            |names: &[String]| -> Vec<Atom> { names.iter().filter_map(|name| world.atoms.get(name)).collect() };
        Self {
            element: numbers(&rules.element_members),
            same: numbers(&rules.same_members),
            adding: numbers(&rules.adding_members),
            callable: numbers(&rules.callable_members),
            constructors: numbers(&rules.constructors),
            invoking: numbers(&rules.invoking_members),
            element_callbacks: numbers(&rules.element_callbacks),
            value_callbacks: numbers(&rules.value_callbacks),
            mapping: numbers(&rules.mapping_members),
            results: numbers(&rules.result_callbacks),
            numbering: numbers(&rules.numbering_members),
            instances: numbers(&rules.instance_members),
            wrapping: numbers(&rules.wrapping),
        }
    }
}

/// `impl<M: Bound> Holder<M>`: what an extension asks of a type's parameter is known of the parameter in the type, too.
pub(crate) fn add_bounds_of_extensions(
    world: &World<'_>,
    hierarchy: &Hierarchy,
    number: u32,
    bounds: &mut FxHashMap<(ScopeId, Atom), Vec<ExprId>>,
) {
    let file = world.file(number);
    for (at, extension) in file.facts.extensions.iter().enumerate() {
        let Expr::Apply { args, .. } = file.facts.expr(extension.target) else { continue };
        let Some(class) = hierarchy.target(number, ExtensionIx(at as u32)) else { continue };
        let Some(body) = world.symbol(class).body.filter(|_| class.file == number) else { continue };
        let own = file.facts.bindings.iter().filter(|b| b.scope == body && b.target == Target::TypeParameter);
        for (parameter, arg) in own.zip(file.facts.arguments(args)) {
            let Expr::Name { name, .. } = file.facts.expr(arg.value) else { continue };
            let asked = file.facts.bounds.iter().filter(|b| Some(b.scope) == extension.scope && b.name == name);
            let asked: Vec<ExprId> = asked.map(|bound| bound.bound).collect();
            bounds.entry((body, file.atom(parameter.name))).or_default().extend(asked);
        }
    }
}
