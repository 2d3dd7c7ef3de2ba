//! What is said on the control socket between us and a guard: lines of words.

use rustix::process::WaitStatus;
use std::fmt;
use std::io;
use std::time::Duration;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It is gone, and so is the guard, which alone could have told how.
    Unknown,
}

impl Exit {
    pub(super) fn of(status: WaitStatus) -> Option<Exit> {
        let code = status.exit_status().map(Exit::Code);
        code.or_else(|| status.terminating_signal().map(Exit::Signal))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::Unknown => f.write_str("an unknown end"),
        }
    }
}

/// A process in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub pid: u32,
    /// How it was called: its first argument, or the system's name for it.
    pub name: String,
}

/// What a guard tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The child runs.
    Started(u32),
    /// The system does not let the guard be one: why.
    Unable(String),
    /// The child cannot be started: the system's error number.
    Failed(i32),
    /// The child ended.
    Exited(Exit),
    /// A process of the tree did not go by itself and was killed.
    Killed(Named),
    /// A process of the tree is still there after all.
    Survivor(Named),
    /// Nothing of the tree is left, but for the survivors.
    Swept,
}

impl Report {
    /// The line that says it, line feed included.
    pub(crate) fn line(&self) -> String {
        let short =
            |text: &str| -> String { text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect() };
        let named = |word: &str, Named { pid, name }: &Named| format!("{word} {pid} {}\n", short(name));
        match self {
            Report::Started(pid) => format!("started {pid}\n"),
            Report::Unable(why) => format!("unable {}\n", short(why)),
            Report::Failed(error) => format!("failed {error}\n"),
            Report::Exited(Exit::Code(code)) => format!("exited {code}\n"),
            Report::Exited(Exit::Signal(signal)) => format!("signalled {signal}\n"),
            Report::Exited(Exit::Unknown) => "lost\n".to_string(),
            Report::Killed(process) => named("killed", process),
            Report::Survivor(process) => named("survivor", process),
            Report::Swept => "swept\n".to_string(),
        }
    }

    /// What a line without its line feed says; `None` where it is none of ours.
    pub(crate) fn parse(line: &str) -> Option<Report> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let named = || {
            let (pid, name) = rest.split_once(' ')?;
            Some(Named { pid: pid.parse().ok()?, name: name.to_string() })
        };
        Some(match word {
            "started" => Report::Started(rest.parse().ok()?),
            "unable" => Report::Unable(rest.to_string()),
            "failed" => Report::Failed(rest.parse().ok()?),
            "exited" => Report::Exited(Exit::Code(rest.parse().ok()?)),
            "signalled" => Report::Exited(Exit::Signal(rest.parse().ok()?)),
            "lost" => Report::Exited(Exit::Unknown),
            "killed" => Report::Killed(named()?),
            "survivor" => Report::Survivor(named()?),
            "swept" => Report::Swept,
            _ => return None,
        })
    }
}

/// The one thing a guard is told: end the tree, and give it this long to go by itself.
pub(crate) fn stop_line(grace: Duration) -> String {
    format!("stop {}\n", grace.as_millis())
}

/// The grace in a line of [`stop_line`].
pub(super) fn parse_stop(line: &str) -> Option<Duration> {
    line.strip_prefix("stop ")?.parse().ok().map(Duration::from_millis)
}

/// The system's number for an error; where it has none, that of an input/output error.
pub(super) fn error_number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(rustix::io::Errno::IO.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_survive_the_wire() {
        let named = |name: &str| Named { pid: 7, name: name.into() };
        for report in [
            Report::Started(1),
            Report::Unable("no way".into()),
            Report::Failed(2),
            Report::Exited(Exit::Code(3)),
            Report::Exited(Exit::Signal(9)),
            Report::Exited(Exit::Unknown),
            Report::Killed(named("a b")),
            Report::Survivor(named("")),
            Report::Swept,
        ] {
            assert_eq!(Report::parse(report.line().strip_suffix('\n').unwrap()), Some(report));
        }
        assert_eq!(Report::Killed(named("a\nswept")).line(), "killed 7 a swept\n");
        assert_eq!(Report::parse("hello"), None);
    }

    #[test]
    fn a_stop_survives_the_wire() {
        let grace = Duration::from_millis(1500);
        assert_eq!(parse_stop(stop_line(grace).trim_end()), Some(grace));
        assert_eq!(parse_stop("stop soon"), None);
    }
}
