//! The words of the dialect: roles, parts and settings. `docs/queries.md` says what each means.

use crate::facts::flag;
use crate::kinds::SymbolKind;

/// What a node is to the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Definition(SymbolKind),
    Assignment,
    Parameter,
    TypeParameter,
    Bound,
    Bases,
    Extension,
    Package,
    Decorated,
    Exported,
    Decorator,
    Default,
    Lambda,
    Global,
    Nonlocal,
    Scope,
    Import,
    ImportGroup,
    Export,
    Reference,
    Member,
    Call,
    New,
    NamedArgument,
    SpreadArgument,
    Index,
    Object,
    Pair,
    List,
    Union,
    Through,
    Await,
    Unwrap,
    Unpack,
    Instance,
    Apply,
    SelfValue,
    SelfType,
    Super,
    Literal,
    Opaque,
    Module,
    Return,
    Yield,
    Loop,
    Match,
    Case,
    Cascade,
    Tokens,
    Ignore,
}

/// Words that are roles wherever they stand, and words that are parts where another role is around them.
const ROLES: &[(&str, Role)] = &[
    ("assignment", Role::Assignment),
    ("parameter", Role::Parameter),
    ("type_parameter", Role::TypeParameter),
    ("bound", Role::Bound),
    ("bases", Role::Bases),
    ("extension", Role::Extension),
    ("package", Role::Package),
    ("decorated", Role::Decorated),
    ("exported", Role::Exported),
    ("default", Role::Default),
    ("global", Role::Global),
    ("nonlocal", Role::Nonlocal),
    ("scope", Role::Scope),
    ("import", Role::Import),
    ("import.group", Role::ImportGroup),
    ("export", Role::Export),
    ("reference", Role::Reference),
    ("member", Role::Member),
    ("call", Role::Call),
    ("new", Role::New),
    ("argument.named", Role::NamedArgument),
    ("argument.spread", Role::SpreadArgument),
    ("index", Role::Index),
    ("pair", Role::Pair),
    ("list", Role::List),
    ("union", Role::Union),
    ("await", Role::Await),
    ("unwrap", Role::Unwrap),
    ("unpack", Role::Unpack),
    ("instance", Role::Instance),
    ("apply", Role::Apply),
    ("self", Role::SelfValue),
    ("self_type", Role::SelfType),
    ("super", Role::Super),
    ("literal", Role::Literal),
    ("opaque", Role::Opaque),
    ("module", Role::Module),
    ("return", Role::Return),
    ("yield", Role::Yield),
    ("loop", Role::Loop),
    ("match", Role::Match),
    ("case", Role::Case),
    ("cascade", Role::Cascade),
    ("tokens", Role::Tokens),
];

/// Words that are a role at the outermost node that has a role's word, and a part below it.
const BOTH: &[(&str, Role)] =
    &[("decorator", Role::Decorator), ("lambda", Role::Lambda), ("object", Role::Object), ("ignore", Role::Ignore)];

impl Role {
    /// Whether another role in the same pattern is the one that the pattern is about.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::Opaque | Self::Literal | Self::Scope | Self::Tokens | Self::Reference | Self::Ignore)
    }

    /// The role with this word, and whether the word is also that of a part.
    pub(crate) fn from_word(word: &str) -> Option<(Self, bool)> {
        if let Some(kind) = word.strip_prefix("definition.") {
            return SymbolKind::from_word(kind).map(|kind| (Self::Definition(kind), false));
        }
        let find = |list: &[(&str, Self)]| list.iter().find(|(known, _)| *known == word).map(|(_, role)| *role);
        find(ROLES).map(|role| (role, false)).or_else(|| find(BOTH).map(|role| (role, true)))
    }
}

/// What a captured node is to the role around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Part {
    Name,
    Property,
    Key,
    Label,
    Local,
    Source,
    Title,
    Modifiers,
    Type,
    Value,
    Lambda,
    Base,
    Implements,
    Owner,
    Decorator,
    Result,
    Target,
    Iterated,
    Callee,
    Object,
    Argument,
    TypeArgument,
    Block,
    Element,
    Subscript,
    Slot,
    Through,
    All,
    Body,
    Ignore,
}

const PARTS: &[(&str, Part)] = &[
    ("name", Part::Name),
    ("property", Part::Property),
    ("key", Part::Key),
    ("label", Part::Label),
    ("local", Part::Local),
    ("source", Part::Source),
    ("title", Part::Title),
    ("modifiers", Part::Modifiers),
    ("type", Part::Type),
    ("value", Part::Value),
    ("lambda", Part::Lambda),
    ("base", Part::Base),
    ("implements", Part::Implements),
    ("owner", Part::Owner),
    ("decorator", Part::Decorator),
    ("result", Part::Result),
    ("target", Part::Target),
    ("iterated", Part::Iterated),
    ("callee", Part::Callee),
    ("object", Part::Object),
    ("argument", Part::Argument),
    ("type_argument", Part::TypeArgument),
    ("block", Part::Block),
    ("element", Part::Element),
    ("subscript", Part::Subscript),
    ("slot", Part::Slot),
    ("through", Part::Through),
    ("all", Part::All),
    ("body", Part::Body),
    ("ignore", Part::Ignore),
];

impl Part {
    /// The part with this word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        PARTS.iter().find(|(known, _)| *known == word).map(|(_, part)| *part)
    }

    /// Whether its text is taken, rather than its value.
    pub(crate) fn is_text(self) -> bool {
        (self as u8) <= Part::Modifiers as u8
    }

    /// Whether it only marks a node.
    pub(crate) fn is_mark(self) -> bool {
        matches!(self, Self::All | Self::Body | Self::Ignore)
    }
}

/// Declares the settings that are there or not.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// Bits of [`Settings::bits`].
        pub(crate) mod set {
            settings!(@bits 0; $($(#[$doc])* $name,)*);
        }
        const BITS: &[(&str, u64)] = &[$(($word, set::$name),)*];
    };
    (@bits $at:expr; $(#[$doc:meta])* $name:ident, $($rest:tt)*) => {
        $(#[$doc])*
        pub(crate) const $name: u64 = 1 << ($at);
        settings!(@bits $at + 1; $($rest)*);
    };
    (@bits $at:expr;) => {};
}

settings! {
    /// Bare names that are targets are declared.
    DECLARES = "declares",
    /// Members of the receiver that are targets are declared as fields.
    DECLARES_FIELDS = "declares_fields",
    /// Names live from here to the end of the scope around.
    SHADOWS = "shadows",
    /// Declared in the nearest function.
    HOISTED = "hoisted",
    /// Bound in the scope that it opens.
    INNER = "inner",
    /// Bound nowhere.
    UNBOUND = "unbound",
    /// Bound (of a parameter's default: looked up) in the scope outside.
    OUTSIDE = "outside",
    /// The node is a scope too.
    SCOPE = "scope",
    /// The pattern fits several times.
    EACH = "each",
    /// A parameter that is a field too.
    FIELD = "field",
    /// A field that is a parameter too.
    PARAMETER = "parameter",
    /// Fields named by their number.
    NUMBERED = "numbered",
    /// What is declared outside functions is a constant.
    CONSTANT = "constant",
    /// All arguments that are left.
    REST = "rest",
    /// All arguments that are left and have names.
    REST_KEYWORDS = "rest_keywords",
    /// By name only.
    KEYWORD = "keyword",
    /// The receiver.
    RECEIVER = "receiver",
    /// Its name is its label.
    LABELED = "labeled",
    /// The module itself.
    MODULE = "module",
    /// The first part of a dotted path.
    FIRST_PART = "first_part",
    /// The last part of the source is the name.
    PATH = "path",
    /// Only for its effects, or its text.
    EFFECTS = "effects",
    /// Everything.
    ALL = "all",
    /// The default export.
    DEFAULT = "default",
    /// A call of a macro.
    MACRO = "macro",
    /// A value that is there or not (Go).
    COMMA_OK = "comma_ok",
    /// Key and element (Go).
    KEYED = "keyed",
    /// A list of one element is that element.
    SINGLE = "single",
    /// Not declared, though it is a target.
    FIXED = "fixed",
    /// A reference where the name is a variable.
    UNLESS_VARIABLE = "unless_variable",
    /// An instance is made.
    CONSTRUCTS = "constructs",
    /// Elements of the value.
    ELEMENTS = "elements",
    /// Looked up from the file's scope.
    ROOT = "root",
    /// Opens no scope.
    BODILESS = "bodiless",
    /// A parameter that may be left out.
    OPTIONAL = "optional",
    /// A file that is part of this one.
    PART = "part",
    /// Commas without an element before them stand for one.
    HOLES = "holes",
    /// Named arguments of what is made are uses of its fields.
    FIELDS = "fields",
    /// Between what stands behind an anchor and what is before it there is only white space.
    ADJACENT = "adjacent",
    /// A variable also outside functions.
    LOCAL = "local",
    /// A member of what the cascade around is about.
    CASCADE = "cascade",
}

/// The flag with this word, of those that a setting or `[graph.modifiers]` may name; others follow from what is read.
pub(crate) fn flag_from_word(word: &str) -> Option<u32> {
    const FOLLOWS: u32 = flag::SELF_PARAMETER | flag::DECORATED | flag::REPLACED | flag::ASSIGNED;
    flag::WORDS.iter().find(|(known, bit)| *known == word && bit & FOLLOWS == 0).map(|(_, bit)| *bit)
}

/// The settings of a pattern.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// Bits of [`set`].
    pub bits: u64,
    /// Flags of symbols.
    pub flags: u32,
    /// Text parts that are constant.
    pub constants: Vec<(Part, String)>,
    /// What stands before a source.
    pub prefix: Option<String>,
    /// The name under which a definition is exported; empty for its own.
    pub export: Option<String>,
}

impl Settings {
    /// Whether a bit of [`set`] is there.
    pub(crate) fn has(&self, bit: u64) -> bool {
        self.bits & bit != 0
    }

    /// Takes one setting.
    pub(crate) fn add(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        match (key, value) {
            ("prefix", Some(text)) => self.prefix = Some(text.to_owned()),
            ("export", text) => self.export = Some(text.unwrap_or_default().to_owned()),
            (key, Some(text)) => match Part::from_word(key).filter(|part| part.is_text()) {
                Some(part) => self.constants.push((part, text.to_owned())),
                None => return Err(format!("no setting `{key}` takes a value")),
            },
            (key, None) => {
                let bit = BITS.iter().find(|(known, _)| *known == key).map_or(0, |(_, bit)| *bit);
                let flag = flag_from_word(key).unwrap_or_default();
                if bit == 0 && flag == 0 {
                    return Err(format!("there is no setting `{key}`"));
                }
                self.bits |= bit;
                self.flags |= flag;
            }
        }
        Ok(())
    }
}
