//! What is on the machine: adapters and interpreters, looked for in the caller's environment.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use vise_syntax::Registry;
use vise_syntax::adapters::{AdapterPreset, Dialect, Runs};

use crate::call::{AdapterConfig, Call, Target};
use crate::error::{Error, Kind};

/// An adapter that can be started.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// What is known of it.
    pub(crate) preset: AdapterPreset,
    /// Its program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// Added to its environment.
    pub(crate) env: Vec<(OsString, OsString)>,
}

/// The adapters that are known without any configuration.
pub(crate) fn presets(registry: &Registry) -> Vec<AdapterPreset> {
    registry.languages().flat_map(|language| &language.description.adapters).cloned().collect()
}

/// A variable of an environment.
pub(crate) fn variable<'e>(env: &'e [(OsString, OsString)], name: &str) -> Option<&'e OsStr> {
    env.iter()
        .rev()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_os_str())
        .filter(|value| !value.is_empty())
}

/// The program of this name in the caller's `PATH`; a path is itself, where it is there.
pub(crate) fn program(name: &str, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_executable(path));
    }
    let path = variable(env, "PATH")?;
    // A relative entry is what stands in the folder of whoever runs it: nothing to take programs from.
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Which adapter runs a target.
///
/// # Errors
/// When none claims it, and when the one that does is not there.
pub(crate) fn adapter(
    presets: &[AdapterPreset],
    call: &Call,
    target: &Target,
    wanted: Option<&str>,
) -> Result<Found, Error> {
    let claims: Vec<&AdapterPreset> = match wanted {
        Some(id) => {
            let known: Vec<&str> = presets.iter().map(|preset| preset.id.as_str()).collect();
            let preset = presets.iter().find(|preset| preset.id == id).ok_or_else(|| {
                Error::bad_input(format!("there is no adapter `{id}`")).hint(format!("one of: {}", known.join(" ")))
            })?;
            vec![preset]
        }
        None => claiming(presets, target)?,
    };
    let mut missing = Vec::new();
    for preset in claims {
        match find(preset, call) {
            Ok(found) => return Ok(found),
            Err(why) => missing.push((preset, why)),
        }
    }
    let why: Vec<String> = missing.iter().map(|(_, why)| why.clone()).collect();
    let install: Vec<&str> = missing.iter().map(|(preset, _)| preset.install.as_str()).collect();
    Err(Error::new(Kind::Unavailable, why.join("; ")).hint(format!("install one: {}", install.join("; or: "))))
}

fn claiming<'p>(presets: &'p [AdapterPreset], target: &Target) -> Result<Vec<&'p AdapterPreset>, Error> {
    let that = |runs: Runs| presets.iter().filter(move |preset| preset.runs.contains(&runs)).collect::<Vec<_>>();
    let program = match target {
        Target::Module(_) => return Ok(that(Runs::Modules)),
        Target::Test(test) => return Err(Error::bad_input(format!("the framework of `{test}` is not known"))),
        Target::Program(program) => program,
    };
    let unsupported = |what: &str| {
        let all: Vec<&str> = presets.iter().flat_map(|preset| &preset.extensions).map(String::as_str).collect();
        Error::new(Kind::Unsupported, format!("no debug adapter claims `{}`: {what}", program.display()))
            .hint(format!("a program of the machine, a folder with Go files, or a file with one of {}", all.join(" ")))
    };
    if program.is_dir() {
        let go = has_go_files(program);
        return if go { Ok(that(Runs::GoPrograms)) } else { Err(unsupported("it is a folder without Go files")) };
    }
    let extension = program.extension().map(|extension| format!(".{}", extension.to_string_lossy().to_lowercase()));
    if let Some(extension) = extension {
        let claims: Vec<_> = presets.iter().filter(|preset| preset.extensions.contains(&extension)).collect();
        if !claims.is_empty() {
            return Ok(claims);
        }
    }
    match binary(program) {
        Some(true) => Ok(that(Runs::GoPrograms)),
        Some(false) => Ok(that(Runs::Executables)),
        None => Err(unsupported("neither its ending nor its content is known")),
    }
}

/// Whether a folder has Go files.
pub(crate) fn has_go_files(folder: &Path) -> bool {
    let is_go = |name: OsString| Path::new(&name).extension().is_some_and(|extension| extension == "go");
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| is_go(entry.file_name()))
}

/// Whether a file is a program of the machine, and then whether Go built it.
fn binary(path: &Path) -> Option<bool> {
    let mut file = fs::File::open(path).ok()?;
    let mut magic = [0; 4];
    file.read_exact(&mut magic).ok()?;
    let known = [*b"\x7fELF", [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]];
    if !known.contains(&magic) {
        return None;
    }
    // Go marks what it links; the mark is a section, which may be anywhere.
    const MARK: &[u8] = b"\xff Go buildinf:";
    let (mut window, mut chunk) = (Vec::new(), vec![0; 1 << 20]);
    while let Ok(count @ 1..) = file.read(&mut chunk) {
        window.extend_from_slice(&chunk[..count]);
        if window.windows(MARK.len()).any(|bytes| bytes == MARK) {
            return Some(true);
        }
        window.drain(..window.len().saturating_sub(MARK.len()));
    }
    Some(false)
}

/// The adapter as it can be started here; else why it cannot.
pub(crate) fn find(preset: &AdapterPreset, call: &Call) -> Result<Found, String> {
    let none = AdapterConfig::default();
    let config = call.adapters.get(&preset.id).unwrap_or(&none);
    if config.enabled == Some(false) {
        return Err(format!("`{}` is switched off by the configuration", preset.id));
    }
    let env: Vec<_> = config.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let found = |program: PathBuf, arguments: &[String]| Found {
        preset: preset.clone(),
        program,
        arguments: arguments.iter().map(OsString::from).collect(),
        env: env.clone(),
    };
    if let Some(command) = &config.command {
        let Some((name, arguments)) = command.split_first() else {
            return Err(format!(
                "`command` of `[debug.adapters.{}]` is empty; it is a list, the program first",
                preset.id
            ));
        };
        return match program(name, &call.env) {
            Some(program) => Ok(found(program, arguments)),
            None => Err(format!("`{name}`, which the configuration names for `{}`, is not there", preset.id)),
        };
    }
    for command in &preset.commands {
        let Some((name, arguments)) = command.split_first() else { continue };
        let Some(program) = program(name, &call.env) else { continue };
        if runs(preset, &program, arguments, call) {
            return Ok(found(program, arguments));
        }
    }
    if preset.speaks == Dialect::Debugpy {
        for python in interpreters(call, &call.folder) {
            let arguments = ["-m".to_owned(), "debugpy.adapter".to_owned()];
            if runs(preset, &python, &arguments, call) {
                return Ok(found(python, &arguments));
            }
        }
    }
    let names: Vec<String> = preset.commands.iter().filter_map(|command| command.first().cloned()).collect();
    let looked = if names.is_empty() { String::new() } else { format!("; looked for {} on PATH", names.join(", ")) };
    Err(format!("`{}` is not installed{looked}", preset.id))
}

/// Whether what was found is what it is taken for.
fn runs(preset: &AdapterPreset, program: &Path, arguments: &[String], call: &Call) -> bool {
    match (preset.speaks, arguments) {
        (Dialect::Debugpy, [flag, ..]) if flag == "-m" => has_module(program, "debugpy", call),
        // Older ones know no protocol of their own.
        (Dialect::Gdb, _) => asked(program, &["--version"], call).is_some_and(|text| major(&text) >= 14),
        _ => true,
    }
}

fn major(text: &str) -> u32 {
    let first = text.lines().next().unwrap_or_default();
    let number = first.split_whitespace().rev().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    number.and_then(|word| word.split('.').next()?.parse().ok()).unwrap_or(0)
}

/// Whether an interpreter can import a module.
pub(crate) fn has_module(python: &Path, module: &str, call: &Call) -> bool {
    let code = format!("import importlib.util as u; print(u.find_spec('{module}') is not None)");
    asked(python, &["-c", &code], call).is_some_and(|text| text.trim() == "True")
}

/// What a program says, in the caller's environment.
pub(crate) fn asked(program: &Path, arguments: &[&str], call: &Call) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(vise_peer::scrubbed(call.env.iter().cloned(), []))
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned()).filter(|_| output.status.success())
}

/// The Pythons that may run the program, the nearest first: of the project, of the shell, of the machine.
pub(crate) fn interpreters(call: &Call, folder: &Path) -> Vec<PathBuf> {
    let inside = folder.ancestors().take_while(|up| up.starts_with(&call.root));
    let mut all: Vec<PathBuf> =
        inside.flat_map(|up| [".venv", "venv"].map(|name| up.join(name).join("bin/python"))).collect();
    if let Some(active) = variable(&call.env, "VIRTUAL_ENV") {
        all.push(Path::new(active).join("bin/python"));
    }
    all.retain(|path| is_executable(path));
    all.extend(program("python3", &call.env));
    all.extend(program("python", &call.env));
    all.dedup();
    all
}

/// The nearest folder upwards, within the root, that has this file.
pub(crate) fn nearest(root: &Path, from: &Path, name: &str) -> Option<PathBuf> {
    from.ancestors().take_while(|up| up.starts_with(root)).find(|up| up.join(name).is_file()).map(Path::to_owned)
}
