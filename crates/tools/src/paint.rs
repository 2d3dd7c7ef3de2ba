//! Colours, or none.

/// Puts terminal colours around words, where colours are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paint {
    /// Whether colours are wanted.
    pub colour: bool,
}

/// What a word is.
#[derive(Debug, Clone, Copy)]
pub enum Role {
    /// A file's name.
    Path,
    /// A number of a line or column.
    Number,
    /// The matched text.
    Match,
    /// A removed line of a diff.
    Removed,
    /// An added line of a diff.
    Added,
    /// The position line of a hunk.
    Hunk,
    /// What should be seen first.
    Strong,
    /// What may be overlooked.
    Faint,
    /// Something went wrong.
    Error,
    /// Something should be looked at.
    Warning,
}

impl Paint {
    /// The words in the colour of their role.
    pub fn words(self, role: Role, words: &str) -> String {
        if !self.colour || words.is_empty() {
            return words.to_owned();
        }
        format!("{}{words}\x1b[0m", self.start(role))
    }

    /// The sequence that begins a role's colour; empty without colours.
    pub fn start(self, role: Role) -> &'static str {
        if !self.colour {
            return "";
        }
        match role {
            Role::Path => "\x1b[35m",
            Role::Number => "\x1b[32m",
            Role::Match => "\x1b[1;31m",
            Role::Removed => "\x1b[31m",
            Role::Added => "\x1b[32m",
            Role::Hunk => "\x1b[36m",
            Role::Strong => "\x1b[1m",
            Role::Faint => "\x1b[2m",
            Role::Error => "\x1b[1;31m",
            Role::Warning => "\x1b[1;33m",
        }
    }

    /// The sequence that ends a colour; empty without colours.
    pub fn end(self) -> &'static str {
        if self.colour { "\x1b[0m" } else { "" }
    }
}
