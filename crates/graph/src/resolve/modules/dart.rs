//! Dart: relative files and `package:` names, which lead below a `lib` folder.

use super::super::world::folder_of;
use super::{Paths, child, join, upwards};

pub(crate) fn find(paths: &Paths<'_>, from: &str, source: &str) -> Option<u32> {
    match source.split_once(':') {
        Some(("package", path)) => {
            let (package, rest) = path.split_once('/')?;
            upwards(folder_of(from))
                .flat_map(|around| {
                    [
                        child(around, &format!("lib/{rest}")),
                        child(around, &format!("packages/{package}/lib/{rest}")),
                        child(around, &format!("{package}/lib/{rest}")),
                    ]
                })
                .find_map(|path| paths.get(&path))
        }
        Some(_) => None,
        None => join(folder_of(from), source).and_then(|path| paths.get(&path)),
    }
}
