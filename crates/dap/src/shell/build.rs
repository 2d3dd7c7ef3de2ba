//! Programs that are run to their end under a guard: builds, and lists of tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use vise_peer::{Exit, Limits, Peer, Start};

use super::Shared;
use super::find;
use crate::answer::Build;
use crate::call::Call;
use crate::cap;
use crate::error::{Error, Kind};

/// What a program that ended has written.
pub(crate) struct Ran {
    pub(crate) ok: bool,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: String,
}

/// The most that is kept of an output.
const OUTPUT: usize = 64 * 1024 * 1024;

impl Shared {
    /// Runs a program to its end, or until the time is over; then nothing of it is left.
    pub(crate) async fn run(
        &self,
        call: &Call,
        program: &Path,
        arguments: &[&str],
        folder: &Path,
        env: &[(String, String)],
        allowed: Duration,
    ) -> Result<Option<Ran>, Error> {
        let given = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let start = Start {
            guard: self.settings.guard.clone(),
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: folder.to_owned(),
            base: Some(call.env.clone()),
            env: crate::recipe::environment().into_iter().chain(given).collect(),
            framed: false,
            limits: Limits { stderr_bytes: 64 * 1024, stderr_lines: 1000, ..Limits::default() },
            records: self.settings.records.clone(),
        };
        let failed = |error: vise_peer::Error| Error::peer(error.to_string());
        let (peer, mut incoming) = Peer::start(start).await.map_err(failed)?;
        peer.close_input();
        let mut output = Vec::new();
        let done = async {
            while let Some(Ok(chunk)) = incoming.next().await {
                if output.len() < OUTPUT {
                    output.extend(chunk);
                }
            }
            peer.exited().await
        };
        let exit = tokio::time::timeout(allowed, done).await;
        // Whether it ended or not, what it started ends with it.
        peer.stop(Duration::ZERO).await;
        let Ok(exit) = exit else { return Ok(None) };
        Ok(Some(Ran { ok: exit == Exit::Code(0), output, errors: peer.stderr().text }))
    }
}

/// A test of a Rust package, built.
pub(crate) struct CargoTest {
    pub(crate) executable: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) name: String,
    pub(crate) ignored: bool,
}

/// What became of a search for one.
pub(crate) enum Cargo {
    Found(CargoTest),
    Failed,
    None(Vec<String>),
    TimedOut,
}

/// Builds the tests around a folder and looks for the one that is named `[crate::]path::to::test`.
pub(crate) async fn cargo_test(
    shared: &Shared,
    call: &Call,
    folder: &Path,
    test: &str,
    env: &[(String, String)],
    allowed: Duration,
) -> Result<(Cargo, Build), Error> {
    let cargo = find::program("cargo", &call.env)
        .ok_or_else(|| Error::new(Kind::Unavailable, "there is no `cargo` on PATH").hint("install Rust"))?;
    let package = find::nearest(&call.root, folder, "Cargo.toml").ok_or_else(|| {
        Error::bad_input(format!("there is no `Cargo.toml` from `{}` up to the root", folder.display()))
    })?;
    let begun = Instant::now();
    let arguments = ["test", "--no-run", "--message-format=json", "--color=never"];
    let ran = shared.run(call, &cargo, &arguments, &package, env, allowed).await?;
    let mut build = Build { seconds: super::case::seconds(begun.elapsed()), text: None };
    let Some(ran) = ran else { return Ok((Cargo::TimedOut, build)) };
    let lines = ran.output.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let (mut built, mut words) = (Vec::new(), String::new());
    for message in lines {
        match message["reason"].as_str() {
            Some("compiler-artifact") if message["profile"]["test"] == true => built.push(message),
            Some("compiler-message") if message["message"]["level"] == "error" => {
                words.push_str(message["message"]["rendered"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }
    if !ran.ok {
        let words = if words.trim().is_empty() { ran.errors } else { words };
        build.text = Some(shortened(&words));
        return Ok((Cargo::Failed, build));
    }
    let mut near = Vec::new();
    let last = test.rsplit("::").next().unwrap_or(test);
    for message in &built {
        let Some(executable) = message["executable"].as_str() else { continue };
        let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(&package).to_owned();
        let crate_name = message["target"]["name"].as_str().unwrap_or_default().replace('-', "_");
        let inner = test.split_once("::").filter(|(first, _)| *first == crate_name).map(|(_, rest)| rest);
        let listed = list(shared, call, executable, &folder, env, &[]).await?;
        let name = [Some(test), inner].into_iter().flatten().find(|name| listed.iter().any(|known| known == name));
        let Some(name) = name else {
            near.extend(
                listed.into_iter().filter(|known| known.contains(last)).map(|known| format!("{crate_name}::{known}")),
            );
            continue;
        };
        let ignored = list(shared, call, executable, &folder, env, &["--ignored"]).await?;
        let ignored = ignored.iter().any(|known| known == name);
        let executable = PathBuf::from(executable);
        return Ok((Cargo::Found(CargoTest { executable, folder, name: name.to_owned(), ignored }), build));
    }
    near.truncate(5);
    Ok((Cargo::None(near), build))
}

/// The names of the tests in a program.
async fn list(
    shared: &Shared,
    call: &Call,
    executable: &str,
    folder: &Path,
    env: &[(String, String)],
    more: &[&str],
) -> Result<Vec<String>, Error> {
    let arguments: Vec<&str> = ["--list", "--format", "terse"].iter().chain(more).copied().collect();
    let ran = shared.run(call, Path::new(executable), &arguments, folder, env, Duration::from_secs(20)).await?;
    let text = ran.map(|ran| String::from_utf8_lossy(&ran.output).into_owned()).unwrap_or_default();
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// A compiler's words, as far as they are told.
pub(crate) fn shortened(text: &str) -> String {
    let mut end = text.len().min(cap::BUILD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim().to_owned()
}
