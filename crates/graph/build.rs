//! Gives the code that makes facts and graphs of texts a number. What another build has stored is then not taken for what
//! this one would have made, though both may call themselves by the same version.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// `syntax` stands beside this crate in the workspace; where it does not, its version has to do.
const FOLDERS: [&str; 2] = ["src", "../syntax/src"];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in FOLDERS.iter().map(Path::new).filter(|folder| folder.is_dir()) {
        println!("cargo:rerun-if-changed={}", folder.display());
        collect(folder, &mut files)?;
    }
    files.sort();
    // FNV-1a: the number has to be the same on all machines, and nobody tries to make two sources share one.
    let mut number = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in fs::read(file)? {
            number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=VISE_GRAPH_CODE={number:016x}");
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
