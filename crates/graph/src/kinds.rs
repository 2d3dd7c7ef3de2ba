//! The closed sets of the contract: kinds of symbol, kinds of edge, and evidence.

use serde::{Deserialize, Serialize};

/// Declares an enum whose variants have a word each, the one that answers carry.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u8)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word for it in answers.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The one with this word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            /// The one with this number, as stored.
            pub fn from_number(number: u8) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }
        }
    };
}

words! {
    /// What a symbol is.
    SymbolKind {
        /// A file's top-level code.
        Module = "module",
        /// A named group of definitions inside or across files.
        Namespace = "namespace",
        /// A class.
        Class = "class",
        /// A structure.
        Struct = "struct",
        /// An enumeration; its members are constants.
        Enum = "enum",
        /// A union.
        Union = "union",
        /// An interface or protocol.
        Interface = "interface",
        /// A trait or mixin.
        Trait = "trait",
        /// A type alias.
        Type = "type",
        /// A function that is no member.
        Function = "function",
        /// A function that is a member.
        Method = "method",
        /// What makes an instance.
        Constructor = "constructor",
        /// A member that is read like a field and may run code.
        Property = "property",
        /// A member that holds a value.
        Field = "field",
        /// A value that does not change; a member of an enumeration.
        Constant = "constant",
        /// A variable outside functions.
        Variable = "variable",
        /// A macro.
        Macro = "macro",
        /// A test block with a title.
        Test = "test",
    }
}

impl SymbolKind {
    /// Whether it can be called like a function.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro | Self::Test)
    }

    /// Whether it has members and instances.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Union | Self::Interface | Self::Trait | Self::Type
        )
    }

    /// Whether it holds a value that was assigned to it.
    pub fn holds_value(self) -> bool {
        matches!(self, Self::Property | Self::Field | Self::Constant | Self::Variable)
    }
}

words! {
    /// What an edge says: its source depends on its target in this way.
    EdgeKind {
        /// The target is a member of the source.
        Contains = "contains",
        /// The source calls the target.
        Calls = "calls",
        /// The source makes an instance of the target.
        Instantiates = "instantiates",
        /// The source names the target.
        References = "references",
        /// The source, a module, imports the target.
        Imports = "imports",
        /// The source is a subclass of the target.
        Extends = "extends",
        /// The source promises what the target declares.
        Implements = "implements",
        /// The source takes the place of the target in a subclass.
        Overrides = "overrides",
        /// The source is decorated by the target.
        Decorates = "decorates",
    }
}

words! {
    /// How an edge was resolved, the surest first. The order is the rank.
    Evidence {
        /// A compiler or language server said so.
        Compiler = "compiler",
        /// The name's definition encloses its use in the same file.
        Scope = "scope",
        /// Through imports, aliases, re-exports or the package.
        Import = "import",
        /// The type of the receiver was inferred, and it declares the member.
        Receiver = "receiver",
        /// An implementor of what the receiver's type declares.
        Dispatch = "dispatch",
        /// A value that was passed and is called elsewhere.
        Callback = "callback",
        /// A bare name with one possible definition.
        UniqueName = "unique_name",
        /// One of several.
        Ambiguous = "ambiguous",
    }
}
