//! Language servers as the tools see them: behind the socket. Whether there is anybody to ask is found out here, so that no
//! daemon is started in vain.

use std::path::PathBuf;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use vise_lsp::{Answer, Check, CheckAnswer, Machine, Query, ServerSpec, select, survey};
use vise_tools::{Living, ServedFiles, Session, ToolError, shown_path, walk};

use super::client::{Asking, Client};
use super::wire::What;
use crate::config::Settings;
use crate::environment::Around;

/// The way to a workspace's daemon.
pub(crate) struct Remote {
    client: Client,
    settings: Settings,
    machine: OnceLock<Machine>,
    /// Whether this process stays for as long as its conversation does.
    stays: bool,
}

impl Remote {
    pub(crate) fn new(root: PathBuf, around: Around, settings: Settings, data: Option<PathBuf>) -> Remote {
        Remote { client: Client { root, around, data }, settings, machine: OnceLock::new(), stays: false }
    }

    /// The same, for a process that stays for as long as its conversation does.
    pub(crate) fn staying(self, stays: bool) -> Remote {
        Remote { stays, ..self }
    }

    /// Ends the daemon, if one is there.
    pub(crate) fn end(&self, session: &Session) -> Result<(), ToolError> {
        let asking =
            Asking { conversation: &session.conversation, cwd: &session.folder, stopped: &|| false, progress: &|_| () };
        match self.client.ask_running(&What::Stop { if_idle: false }, &asking)? {
            Some(_) => self.client.wait_until_gone(),
            None => Ok(()),
        }
    }

    fn machine(&self) -> &Machine {
        let Settings { path, trusted, .. } = &self.settings;
        self.machine.get_or_init(|| Machine::new(path.clone(), self.client.root.clone(), *trusted))
    }

    /// A call with everything that it needs of its caller.
    fn call(&self, op: vise_dap::Op, session: &Session) -> vise_dap::Call {
        let debug = &self.settings.debug;
        vise_dap::Call {
            root: session.root.clone(),
            folder: session.folder.clone(),
            env: std::env::vars_os().collect(),
            owner: self.stays.then(std::process::id),
            adapters: debug.adapters.clone(),
            lifetime: debug.lifetime,
            idle: debug.idle,
            build: debug.build,
            op,
        }
    }

    fn servers(&self) -> &[ServerSpec] {
        &self.settings.servers
    }

    /// Whether a daemon is there; else it must be known that there is something to start one for.
    fn is_running(&self) -> Result<bool, ToolError> {
        Ok(self.client.running()?.is_some())
    }

    fn send<T: DeserializeOwned>(&self, what: &What, session: &Session) -> Result<T, ToolError> {
        let asking = Asking {
            conversation: &session.conversation,
            cwd: &session.folder,
            stopped: &|| session.stopped(),
            progress: &|what| session.say(what),
        };
        self.client.ask(what, &asking)
    }
}

impl Living for Remote {
    fn ask(&self, query: &Query, session: &Session) -> Result<Answer, ToolError> {
        if let Some(file) = &query.file
            && !self.is_running()?
        {
            select(self.servers(), file, &self.client.root, self.machine())?;
        }
        self.send(&What::Lsp(query.clone()), session)
    }

    fn check(&self, check: &Check, session: &Session) -> Result<CheckAnswer, ToolError> {
        if !self.is_running()? {
            let files = check.files.iter().chain(check.overlay.iter().map(|(file, _)| file));
            let root = &self.client.root;
            let mut unchecked = Vec::new();
            let mut any = false;
            for file in files {
                match select(self.servers(), file, root, self.machine()) {
                    Ok(_) => any = true,
                    Err(none) => unchecked.push((shown_path(root, file), none.into())),
                }
            }
            if !any {
                return Ok(CheckAnswer { unchecked, ..CheckAnswer::default() });
            }
        }
        let what = if check.overlay.is_empty() { What::Snapshot } else { What::Overlay };
        self.send(&what(check.clone()), session)
    }

    fn servers(&self, session: &Session) -> Result<Vec<ServedFiles>, ToolError> {
        let files = walk(&session.root, &[], &session.walk, &|| session.stopped())?;
        let files = files.files.into_iter().map(|file| file.path);
        let served = survey(self.servers(), files, &self.client.root, self.machine());
        Ok(served.into_iter().map(served_files).collect())
    }

    fn debug(&self, op: &vise_dap::Op, session: &Session) -> Result<vise_dap::Report, ToolError> {
        let begins = matches!(op, vise_dap::Op::Launch(_) | vise_dap::Op::Failure(_));
        let asks = matches!(op, vise_dap::Op::End | vise_dap::Op::Status);
        // Where no daemon is there is no session, and nothing to start one for but a beginning.
        if !begins && !self.is_running()? {
            if asks {
                return Ok(vise_dap::no_session(op.name(), &session.conversation));
            }
            return Err(vise_dap::Error::no_session().into());
        }
        self.send(&What::Debug(Box::new(self.call(op.clone(), session))), session)
    }

    fn adapters(&self, session: &Session) -> Result<Vec<vise_dap::AdapterStatus>, ToolError> {
        Ok(vise_dap::survey(&session.registry, &self.call(vise_dap::Op::Status, session)))
    }
}

fn served_files(one: vise_lsp::Served<'_>) -> ServedFiles {
    let line = |unusable: &vise_lsp::Unusable| {
        format!("{}: {} (install: {})", unusable.server, unusable.why, unusable.install)
    };
    let (first, unusable) = match &one.servers {
        Ok(selection) => (selection.candidates.first(), selection.unusable.iter().map(line).collect()),
        Err(vise_lsp::NoServer::NotThere(_, tried)) => (None, tried.iter().map(line).collect()),
        Err(other) => (None, vec![other.to_string()]),
    };
    ServedFiles {
        server: first.map(|choice| choice.server.id.clone()),
        root: first.map(|choice| choice.root.clone()),
        program: first.map(|choice| choice.program.clone()),
        extension: one.extension,
        files: one.files,
        sample: one.sample,
        unusable,
    }
}
