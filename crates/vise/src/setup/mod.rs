//! What makes vise part of somebody's set-up: entries for agents, their hooks, completions and manual pages.

mod hook;
mod init;

use std::io;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use vise_tools::ToolError;

use crate::cli::Cli;
use crate::output::{Failure, Output};
use crate::run::Exit;

pub(crate) use hook::Hook;
pub(crate) use init::Init;

/// Print completions for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell; its manual says where it looks for them
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the manual page of vise or of a command
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command, `graph find` say; vise itself by default
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Completions {
    pub(crate) fn run(&self, output: &mut Output) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "vise", &mut script);
        output.data(&script)?;
        Ok(Exit::Found)
    }
}

impl Man {
    pub(crate) fn run(&self, output: &mut Output) -> Result<Exit, Failure> {
        let mut page = Vec::new();
        clap_mangen::Man::new(self.named()?).render(&mut page)?;
        output.data(&page)?;
        Ok(Exit::Found)
    }

    /// The command. Building the whole tree has given each its full name.
    fn named(&self) -> Result<clap::Command, ToolError> {
        let mut command = Cli::command();
        command.build();
        let mut names = vec!["vise".to_owned()];
        for word in &self.command {
            let found = command
                .get_subcommands()
                .find(|known| known.get_name() == word || known.get_all_aliases().any(|alias| alias == word));
            let Some(found) = found else {
                let known = command.get_subcommands().filter(|known| !known.is_hide_set());
                let known: Vec<String> = known.map(|known| format!("`{}`", known.get_name())).collect();
                let error = ToolError::bad_input(format!("`{}` has no command `{word}`", names.join(" ")));
                return Err(match known.is_empty() {
                    true => error,
                    false => error.hint(format!("there are {}", known.join(", "))),
                });
            };
            names.push(found.get_name().to_owned());
            command = found.clone();
        }
        Ok(command)
    }
}

/// The standard input, if it is not longer than anything that an agent says to a hook.
fn said(most: u64) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
