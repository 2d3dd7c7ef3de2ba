//! Whatever was done to a workspace, and in whatever order it was indexed: the graph is that of a first look, byte for
//! byte.

mod common;

use std::fs;
use std::path::Path;

use common::{House, house};
use proptest::prelude::*;

/// What a file may say, by its name: types and functions that move, change their signatures, go and come back, so that
/// imports, members, bases, values that are functions and re-exports of other files resolve differently each time.
const FILES: &[(&str, &[&str])] = &[
    (
        "app/__init__.py",
        &["", "from .core import Base, make\n", "from .core import *\nfrom .core import make as build\n"],
    ),
    (
        "app/core.py",
        &[
            "class Base:\n    def run(self): return self.step()\n    def step(self): pass\n\ndef make(): return Base()\n",
            "def make(f=None): return f\nclass Other:\n    def run(self): pass\n",
            "from app.more import Sub\nclass Base:\n    run = None\ndef make() -> 'Base': return Sub()\n",
        ],
    ),
    (
        "app/more.py",
        &[
            "from app import Base, make\nclass Sub(Base):\n    def step(self): return make()\n",
            "from app.core import make\ndef go(): return make().run()\nTABLE = {'go': go}\nTABLE['go']()\n",
            "from app import *\ndef go():\n    return build().run()\n",
        ],
    ),
    ("app/more/__init__.py", &["from ..core import make\ndef deep(): make().run()\n"]),
    (
        "web/lib.ts",
        &[
            "export interface Job { run(): void }\nexport class A implements Job { run() {} }\nexport const make = () => new A();\n",
            "export class A { run() { helper(); } }\nfunction helper() {}\nexport default function make() { return new A(); }\n",
        ],
    ),
    ("web/index.ts", &["export * from './lib';\n", "export { A as B, make } from './lib';\n"]),
    (
        "web/use.ts",
        &[
            "import { make, A } from './index';\nexport function use(a: A) { a.run(); make().run(); }\n",
            "import make from './lib';\nimport { B } from './index';\nexport const use = (b: B) => { b.run(); make(); };\n",
        ],
    ),
    ("Cargo.toml", &["[package]\nname = \"one\"\n", "[package]\nname = \"two\"\n"]),
    ("src/lib.rs", &["pub mod shape;\npub use shape::Shape;\n", "mod shape;\npub fn area() {}\n"]),
    (
        "src/shape.rs",
        &[
            "pub trait Shape { fn area(&self); fn twice(&self) { self.area() } }\npub struct Dot;\nimpl Shape for Dot { fn area(&self) {} }\n",
            "use crate::area;\npub struct Dot;\nimpl Dot { pub fn area(&self) { area() } }\npub fn all(d: &Dot) { d.area() }\n",
        ],
    ),
    ("c/a.h", &["int sum(int a);\n", "struct S { int (*f)(int); };\nint sum(int a);\n"]),
    ("c/a.c", &["#include \"a.h\"\nint sum(int a) { return a; }\n", "static int sum(int a) { return a; }\n"]),
    ("c/b.c", &["#include \"a.h\"\nint b(void) { return sum(1); }\n", "int b(void) { return sum(1); }\n"]),
];

/// Something that happens to a workspace.
#[derive(Debug, Clone)]
enum Step {
    Write {
        file: usize,
        version: usize,
    },
    Remove {
        file: usize,
    },
    Swap {
        one: usize,
        other: usize,
    },
    /// A question in between, so that what changes is not always seen one by one.
    Ask,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0..FILES.len();
    prop_oneof![
        5 => (file.clone(), 0..3_usize).prop_map(|(file, version)| Step::Write { file, version }),
        2 => file.clone().prop_map(|file| Step::Remove { file }),
        1 => (file.clone(), file).prop_map(|(one, other)| Step::Swap { one, other }),
        4 => Just(Step::Ask),
    ]
}

fn text(file: usize, version: usize) -> (&'static str, &'static str) {
    let (name, versions) = FILES[file];
    (name, versions[version % versions.len()])
}

/// Writes a file, in whose way a folder may be, or a file in the place of its folder: then nothing happens.
fn write(root: &Path, name: &str, text: &[u8]) {
    let path = root.join(name);
    if path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
        let _ = fs::write(path, text);
    }
}

fn apply(root: &Path, step: &Step) {
    match step {
        Step::Write { file, version } => {
            let (name, text) = text(*file, *version);
            write(root, name, text.as_bytes());
        }
        Step::Remove { file } => drop(fs::remove_file(root.join(FILES[*file].0))),
        Step::Swap { one, other } => {
            let (one, other) = (FILES[*one].0, FILES[*other].0);
            let texts = (fs::read(root.join(one)), fs::read(root.join(other)));
            if let (Ok(first), Ok(second)) = texts {
                write(root, one, &second);
                write(root, other, &first);
            }
        }
        Step::Ask => {}
    }
}

/// The graph without its first line, which tells of the index.
#[track_caller]
fn graph(house: &House) -> String {
    let run = house.run(&["graph", "export", "--format", "jsonl"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let (meta, rest) = run.out.split_once('\n').unwrap();
    assert!(meta.contains("\"meta\""), "{meta}");
    rest.to_owned()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_graph_does_not_remember_how_it_came_about(steps in prop::collection::vec(step(), 4..24)) {
        let old = house(&[]);
        (0..FILES.len()).map(|file| text(file, 0)).for_each(|(name, text)| write(&old.root, name, text.as_bytes()));
        prop_assert!(graph(&old).contains("\"calls\""));
        for step in &steps {
            apply(&old.root, step);
            if matches!(step, Step::Ask) {
                graph(&old);
            }
        }
        let new = house(&[]);
        copy(&old.root, &new.root);
        prop_assert_eq!(graph(&old), graph(&new));
    }
}
