//! `[graph]` of a `language.toml`: the constants of a language that the code graph needs. `docs/queries.md` explains them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What `[graph]` says. A language without it has symbols for its outline, if its queries name some, and no more.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphRules {
    /// Languages that can call each other; edges never leave a family.
    pub family: String,
    /// Files of another language's ending that are in this one by their text (C++ headers that end in `.h`).
    #[serde(default)]
    pub also: Option<Also>,
    /// How imports find files.
    #[serde(default)]
    pub modules: ModuleSystem,
    /// Between the parts of a qualified name.
    #[serde(default = "dot")]
    pub separator: String,
    /// Between the parts of an import's source.
    #[serde(default = "dots")]
    pub path_separators: Vec<String>,
    /// Whether a bare name may be a member of the type around.
    #[serde(default)]
    pub implicit_receiver: bool,
    /// Whether a nested function sees the names of the type around it.
    #[serde(default)]
    pub type_scopes_are_open: bool,
    /// Which files see each other's top level without an import.
    #[serde(default)]
    pub package_scope: PackageScope,
    /// Whether a bare name may be defined in any file.
    #[serde(default)]
    pub globals: bool,
    /// Whether functions of one name in one scope are told apart by their parameters.
    #[serde(default)]
    pub overloads: bool,
    /// Whether a declaration without a body and its definition are one symbol.
    #[serde(default)]
    pub declarations: bool,
    /// Whether what is called and what is read may bear one name and be two things.
    #[serde(default)]
    pub functions_apart: Apart,
    /// Whether a call of a type's name runs its callable member, if it has one (Scala's `apply`).
    #[serde(default)]
    pub types_are_called: bool,
    /// Whether a later definition of a name in the same list of statements takes the place of an earlier one.
    #[serde(default)]
    pub later_replaces: bool,
    /// Whether the first parameter of a method is the receiver.
    #[serde(default)]
    pub self_parameter: SelfParameter,
    /// Names of methods that run when an instance is made.
    #[serde(default)]
    pub constructors: Vec<String>,
    /// Whether calling a type makes an instance.
    #[serde(default)]
    pub calls_make_instances: bool,
    /// `upper`: variables outside functions that are written in capitals are constants.
    #[serde(default)]
    pub constants: ConstantNames,
    /// Names that begin so are private.
    #[serde(default)]
    pub private_prefix: String,
    /// Generic types whose values have the members of their argument.
    #[serde(default)]
    pub transparent: Vec<String>,
    /// Generic types over whose values one iterates.
    #[serde(default)]
    pub containers: Vec<String>,
    /// Members of types from outside that give an element.
    #[serde(default)]
    pub element_members: Vec<String>,
    /// Members of types from outside that give the same value again.
    #[serde(default)]
    pub same_members: Vec<String>,
    /// Members of types from outside, and of lists, whose arguments become elements.
    #[serde(default)]
    pub adding_members: Vec<String>,
    /// Members of lists and of types from outside that call their argument with an element.
    #[serde(default)]
    pub element_callbacks: Vec<String>,
    /// Members that call their argument with the value itself.
    #[serde(default)]
    pub value_callbacks: Vec<String>,
    /// Members that give a list of what their argument gave for each element.
    #[serde(default)]
    pub mapping_members: Vec<String>,
    /// Functions and members from outside that give what their argument gives.
    #[serde(default)]
    pub result_callbacks: Vec<String>,
    /// Functions from outside that give their first argument back.
    #[serde(default)]
    pub wrapping: Vec<String>,
    /// Members of a function that call it.
    #[serde(default)]
    pub invoking_members: Vec<String>,
    /// Members that number the elements of a list: what follows the number is the element.
    #[serde(default)]
    pub numbering_members: Vec<String>,
    /// Generic types from keys to values; iterating over them gives pairs.
    #[serde(default)]
    pub maps: Vec<String>,
    /// Members of a type that make an instance of it although the text does not declare them (`default`).
    #[serde(default)]
    pub instance_members: Vec<String>,
    /// Whether naming a function that needs no argument calls it (Scala, Ruby).
    #[serde(default)]
    pub bare_calls: bool,
    /// What the name of a decorator's type may have behind the name that is written (C#'s `Attribute`).
    #[serde(default)]
    pub decorator_suffix: String,
    /// Members that are called when an instance is called.
    #[serde(default)]
    pub callable_members: Vec<String>,
    /// Members that are called when a loop goes over an instance.
    #[serde(default)]
    pub iterating_members: Vec<String>,
    /// Names that are the language's own.
    #[serde(default)]
    pub builtins: Vec<String>,
    /// Types that are the language's own.
    #[serde(default)]
    pub builtin_types: Vec<String>,
    /// Decorators that make a method belong to the type.
    #[serde(default)]
    pub static_decorators: Vec<String>,
    /// Decorators that hand a method the type in the place of the instance.
    #[serde(default)]
    pub class_decorators: Vec<String>,
    /// Names of methods that are handed the type in the place of the instance, whatever their decorators.
    #[serde(default)]
    pub class_methods: Vec<String>,
    /// `capitalized`: what begins with a capital is visible outside, all else is not (Go).
    #[serde(default)]
    pub exported: ExportedNames,
    /// Whether `static` outside a type means that only this file sees it (C, C++).
    #[serde(default)]
    pub static_is_private: bool,
    /// Regular expressions whose groups are overwritten with blanks before a file is read (macros between `class` and
    /// its name).
    #[serde(default)]
    pub blank: Vec<String>,
    /// Names that mean the parameters of a function without parameters (`it`, `$0`), the first one first.
    #[serde(default)]
    pub implicit_parameters: Vec<String>,
    /// Whether a function in a type that has no receiver among its parameters belongs to the type (Rust).
    #[serde(default)]
    pub static_without_receiver: bool,
    /// Decorators that make a method read like a field.
    #[serde(default)]
    pub accessor_decorators: Vec<String>,
    /// Names of flags, each with the modifiers that set it.
    #[serde(default)]
    pub modifiers: BTreeMap<String, Vec<String>>,
    /// What a test is.
    #[serde(default)]
    pub tests: TestRules,
    /// What runs without a caller in sight.
    #[serde(default)]
    pub entries: EntryRules,
}

/// Files that are in a language by their text.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Also {
    /// Their endings.
    pub extensions: Vec<String>,
    /// A regular expression that the text of such a file matches.
    pub pattern: String,
}

impl GraphRules {
    /// The rules of a language that has none.
    pub fn none() -> Self {
        // The family is the only key without a default, so this text is complete.
        toml::from_str("family = \"none\"").unwrap_or_else(|error| unreachable!("a complete table: {error}"))
    }
}

/// How imports find files. Each is a few functions in `vise_graph`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is named after its language")]
pub enum ModuleSystem {
    #[default]
    None,
    Python,
    Node,
    Rust,
    Go,
    /// Packages as in Java, Kotlin and Scala.
    Java,
    /// Included headers.
    C,
    Csharp,
    Ruby,
    Php,
    Swift,
    Dart,
    /// Paths of files, relative to the file or to a folder around it.
    Path,
}

/// Which files see each other's top level without an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PackageScope {
    /// None.
    #[default]
    None,
    /// Those of one folder that declare the same package (Go).
    Folder,
    /// Those that declare the same package or namespace.
    Package,
    /// All of the language family (Swift's module, as far as a graph can tell).
    All,
}

/// Which names mean a function where they are called, and never one where they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Apart {
    /// None.
    #[default]
    None,
    /// Those of members (Rust, PHP, Kotlin).
    Members,
    /// All (Java).
    Names,
}

/// Whether a method's first parameter is the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfParameter {
    /// It is not.
    #[default]
    None,
    /// It is (Python).
    First,
}

/// How constants are told from variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConstantNames {
    /// By the syntax alone.
    #[default]
    Syntax,
    /// Also by a name in capitals.
    Upper,
}

/// How what is visible outside is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportedNames {
    /// By the syntax alone.
    #[default]
    Syntax,
    /// By a name that begins with a capital (Go).
    Capitalized,
}

/// What a test is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestRules {
    /// Globs of files that hold tests.
    #[serde(default)]
    pub files: Vec<String>,
    /// Globs of names of functions that are tests in such files.
    #[serde(default)]
    pub names: Vec<String>,
    /// Globs of names of types whose methods may be tests in such files.
    #[serde(default)]
    pub types: Vec<String>,
    /// Attributes and decorators that make a test anywhere.
    #[serde(default)]
    pub attributes: Vec<String>,
}

/// What runs without a caller in sight.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryRules {
    /// Globs of names.
    #[serde(default)]
    pub names: Vec<String>,
    /// Attributes and decorators.
    #[serde(default)]
    pub attributes: Vec<String>,
    /// Whether anything with a decorator may be called by it.
    #[serde(default)]
    pub decorated: bool,
}

fn dot() -> String {
    ".".to_owned()
}

fn dots() -> Vec<String> {
    vec![dot()]
}
