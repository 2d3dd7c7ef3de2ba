//! Bits of [`Symbol::flags`](super::Symbol::flags).

/// Belongs to the type, not to an instance.
pub const STATIC: u32 = 1;
/// Declared without a body, to be filled in elsewhere.
pub const ABSTRACT: u32 = 1 << 1;
/// Marked as visible outside (`pub`, `public`, `export`).
pub const EXPORTED: u32 = 1 << 2;
/// Marked as visible here only (`private`, `static` in C).
pub const PRIVATE: u32 = 1 << 3;
/// Marked as taking the place of another.
pub const OVERRIDE: u32 = 1 << 4;
/// Its result comes later (`async`).
pub const ASYNC: u32 = 1 << 5;
/// A function without a name.
pub const ANONYMOUS: u32 = 1 << 6;
/// A declaration whose definition is elsewhere (a prototype, an overload's signature).
pub const DECLARATION: u32 = 1 << 7;
/// Read like a field though it is a function.
pub const ACCESSOR: u32 = 1 << 8;
/// A test, by its name, its file or its attributes.
pub const TEST: u32 = 1 << 9;
/// Called from outside: `main`, a hook, something registered by a decorator or an attribute.
pub const ENTRY: u32 = 1 << 10;
/// Takes the type in the place of an instance (`classmethod`).
pub const CLASS_METHOD: u32 = 1 << 11;
/// Yields, so that a call gives something to iterate over.
pub const GENERATOR: u32 = 1 << 12;
/// The first parameter is the receiver (Python): a call through an instance has one argument less.
pub const SELF_PARAMETER: u32 = 1 << 13;
/// What the file offers as a whole (`export default`).
pub const DEFAULT_EXPORT: u32 = 1 << 14;
/// Its own decorator or attribute says so little that whether it is used is not known here.
pub const DECORATED: u32 = 1 << 15;
/// Only part of a definition whose other parts may be in other files (`partial class`).
pub const PARTIAL: u32 = 1 << 16;
/// A later definition of the same name in the same list of statements takes its place.
pub const REPLACED: u32 = 1 << 17;
/// A field that is there because a method assigns to it.
pub const ASSIGNED: u32 = 1 << 18;

/// Each with its word, in queries, `[graph.modifiers]` and marks of tests.
pub const WORDS: &[(&str, u32)] = &[
    ("static", STATIC),
    ("abstract", ABSTRACT),
    ("exported", EXPORTED),
    ("private", PRIVATE),
    ("override", OVERRIDE),
    ("async", ASYNC),
    ("anonymous", ANONYMOUS),
    ("declaration", DECLARATION),
    ("accessor", ACCESSOR),
    ("test", TEST),
    ("entry", ENTRY),
    ("class_method", CLASS_METHOD),
    ("generator", GENERATOR),
    ("self_parameter", SELF_PARAMETER),
    ("default_export", DEFAULT_EXPORT),
    ("decorated", DECORATED),
    ("partial", PARTIAL),
    ("replaced", REPLACED),
    ("assigned", ASSIGNED),
];
