//! What lies at the border of a workspace, language by language: small trees as values, exact paths.

use std::path::Path;

use vise_graph::resolve::border::{Border, border};
use vise_graph::source::{ProjectFile, SourceFile};
use vise_graph::{Rules, facts_of};
use vise_syntax::Registry;

/// What is found in some files, as lines: packages, offers and uses.
struct Found {
    packages: Vec<String>,
    offers: Vec<String>,
    uses: Vec<String>,
}

fn look(files: &[(&str, &str)]) -> Found {
    let registry = Registry::embedded().unwrap();
    let (mut sources, mut projects) = (Vec::new(), Vec::new());
    for (path, text) in files {
        let language = registry.by_path(Path::new(path));
        let rules = language.and_then(|language| Rules::compile(language).unwrap());
        if let (Some(language), Some(rules)) = (language, rules) {
            let facts = facts_of(language, &rules, text.as_bytes(), path).ok().unwrap();
            sources.push(SourceFile { path: (*path).to_owned(), language, facts });
        }
        // `setup.py` and the like are both.
        projects.push(ProjectFile { path: (*path).to_owned(), text: (*text).to_owned() });
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    let Border { packages, offers, uses } = border(&sources, &projects);
    let place = |file: u32, symbol: vise_graph::facts::SymbolIx| {
        let facts = &sources[file as usize].facts;
        let row = &facts.symbols[symbol.ix()];
        format!("{}:{}", sources[file as usize].path, row.line)
    };
    Found {
        packages: packages.iter().map(|p| format!("{} {} {} {}", p.ecosystem, p.name, p.import, p.folder)).collect(),
        offers: offers.iter().map(|o| format!("{} {}", o.path, place(o.symbol.file, o.symbol.symbol))).collect(),
        uses: uses
            .iter()
            .map(|u| {
                format!(
                    "{}:{} {} {} {}",
                    sources[u.file as usize].path,
                    u.line,
                    u.kind.as_str(),
                    u.path,
                    u.evidence.as_str()
                )
            })
            .collect(),
    }
}

#[test]
fn python_offers_what_a_package_has_and_passes_on() {
    let found = look(&[
        ("pyproject.toml", "[project]\nname = \"Shop-Kit\"\n"),
        ("src/shop/__init__.py", "from .disk import Store as Store\n"),
        (
            "src/shop/disk.py",
            "from os import path\n\nclass Base:\n    def open(self): ...\n\nclass Store(Base):\n    def save(self): ...\n",
        ),
        ("tests/test_shop.py", "def test_it(): ...\n"),
        ("docs/conf.py", "def setup(): ...\n"),
    ]);
    assert_eq!(found.packages, ["pypi Shop-Kit shop src/shop"]);
    assert_eq!(
        found.offers,
        [
            "shop src/shop/__init__.py:1",
            "shop.Store src/shop/disk.py:6",
            "shop.Store.open src/shop/disk.py:4",
            "shop.Store.save src/shop/disk.py:7",
            "shop.disk src/shop/disk.py:1",
            "shop.disk.Base src/shop/disk.py:3",
            "shop.disk.Base.open src/shop/disk.py:4",
            "shop.disk.Store src/shop/disk.py:6",
            "shop.disk.Store.open src/shop/disk.py:4",
            "shop.disk.Store.save src/shop/disk.py:7",
        ]
    );
}

#[test]
fn python_uses_are_followed_to_their_imports() {
    let found = look(&[
        ("app/__init__.py", ""),
        ("app/compat.py", "from six import text_type\n"),
        (
            "app/main.py",
            "\
import os.path
import requests as rq
from requests.adapters import HTTPAdapter
from .compat import text_type
from .missing import nothing

class Client(rq.Session):
    def __init__(self):
        self.adapter = HTTPAdapter()

    def go(self):
        self.mount('x', self.adapter)
        self.adapter.close()
        os.path.join('a', 'b')
        text_type(rq.get('u').json())
        nothing()

def typed(session: rq.Session, other):
    session.get('x')
    other.get('x')

def alias():
    f = rq.post
    f('u')
    for client in [1]:
        client.close()
    Client().send(1)
",
        ),
    ]);
    assert_eq!(
        found.uses,
        [
            "app/compat.py:1 imports six.text_type import",
            "app/main.py:1 imports os import",
            "app/main.py:2 imports requests import",
            "app/main.py:3 imports requests.adapters.HTTPAdapter import",
            "app/main.py:4 imports six.text_type import",
            "app/main.py:7 extends requests.Session import",
            "app/main.py:9 calls requests.adapters.HTTPAdapter import",
            "app/main.py:12 calls requests.Session.mount receiver",
            "app/main.py:13 calls requests.adapters.HTTPAdapter.close receiver",
            "app/main.py:14 calls os.path.join import",
            "app/main.py:15 calls requests.get import",
            "app/main.py:15 calls six.text_type import",
            "app/main.py:18 references requests.Session import",
            "app/main.py:19 calls requests.Session.get receiver",
            "app/main.py:23 references requests.post import",
            "app/main.py:24 calls requests.post import",
            "app/main.py:27 calls requests.Session.send receiver",
        ]
    );
}

#[test]
fn rust_paths_begin_with_the_crate() {
    let found = look(&[
        ("Cargo.toml", "[package]\nname = \"shop-kit\"\n[dependencies]\nregex = \"1\"\n"),
        (
            "src/lib.rs",
            "\
mod disk;
pub mod prelude { pub use crate::disk::Store; }
pub use disk::Store;
use regex::Regex;
pub fn find(re: &Regex) -> bool { re.is_match(\"x\") }
fn hidden() { regex::bytes::Regex::new(\"x\"); Regex::new(\"y\"); }
",
        ),
        ("src/disk.rs", "pub struct Store;\nimpl Store {\n    pub fn save(&self) {}\n}\npub struct Inner;\n"),
    ]);
    assert_eq!(found.packages, ["crates shop-kit shop_kit "]);
    assert_eq!(
        found.offers,
        [
            "shop_kit src/lib.rs:1",
            "shop_kit::Store src/disk.rs:1",
            "shop_kit::Store::save src/disk.rs:3",
            "shop_kit::find src/lib.rs:5",
            "shop_kit::prelude::Store src/disk.rs:1",
            "shop_kit::prelude::Store::save src/disk.rs:3",
        ]
    );
    assert_eq!(
        found.uses,
        [
            "src/lib.rs:4 imports regex::Regex import",
            "src/lib.rs:5 references regex::Regex import",
            "src/lib.rs:5 calls regex::Regex::is_match receiver",
            "src/lib.rs:6 calls regex::Regex::new import",
            "src/lib.rs:6 calls regex::bytes::Regex::new import",
        ]
    );
}

#[test]
fn typescript_paths_begin_with_the_specifier() {
    let found = look(&[
        ("package.json", r#"{"name": "@shop/kit", "exports": {".": "./dist/index.js", "./disk": "./src/disk.ts"}}"#),
        (
            "src/index.ts",
            "export { Store } from './disk';\nexport * as all from './disk';\nexport default function main() {}\n",
        ),
        ("src/disk.ts", "export class Store {\n  save() {}\n}\nfunction own() {}\n"),
        (
            "src/use.ts",
            "\
import { z } from 'zod';
import React from 'react';
import * as fs from 'node:fs';
import { gone } from './gone';
export function check(map: z.Map) {
  z.object({});
  React.useState(1);
  fs.readFileSync('x');
  new z.Set().add(1);
  map.keys();
  gone();
}
",
        ),
    ]);
    assert_eq!(found.packages, ["npm @shop/kit @shop/kit "]);
    assert_eq!(
        found.offers,
        [
            "@shop/kit src/index.ts:1",
            "@shop/kit.Store src/disk.ts:1",
            "@shop/kit.Store.save src/disk.ts:2",
            "@shop/kit.all src/disk.ts:1",
            "@shop/kit.all.Store src/disk.ts:1",
            "@shop/kit.all.Store.save src/disk.ts:2",
            "@shop/kit.default src/index.ts:3",
            "@shop/kit/disk src/disk.ts:1",
            "@shop/kit/disk.Store src/disk.ts:1",
            "@shop/kit/disk.Store.save src/disk.ts:2",
        ]
    );
    assert_eq!(
        found.uses,
        [
            "src/use.ts:1 imports zod.z import",
            "src/use.ts:2 imports react.default import",
            "src/use.ts:3 imports node:fs import",
            "src/use.ts:5 references zod.z.Map import",
            "src/use.ts:6 calls zod.z.object import",
            "src/use.ts:7 calls react.default.useState import",
            "src/use.ts:8 calls node:fs.readFileSync import",
            "src/use.ts:9 instantiates zod.z.Set import",
            "src/use.ts:9 calls zod.z.Set.add receiver",
            "src/use.ts:10 calls zod.z.Map.keys receiver",
        ]
    );
}

#[test]
fn go_paths_are_import_paths() {
    let found = look(&[
        ("go.mod", "module example.org/shop\n"),
        (
            "disk/disk.go",
            "package disk\n\ntype Store struct{}\n\nfunc (s *Store) Save() {}\n\nfunc Open() *Store { return nil }\n\nfunc own() {}\n",
        ),
        (
            "main.go",
            "\
package main

import (
	\"fmt\"

	\"example.org/shop/disk\"
	\"example.org/other/log\"
)

func main() {
	disk.Open()
	fmt.Println(log.New())
}

func typed(l *log.Logger) { l.Info(\"x\") }
",
        ),
    ]);
    assert_eq!(found.packages, ["go example.org/shop example.org/shop "]);
    assert_eq!(
        found.offers,
        [
            "example.org/shop/disk.Open disk/disk.go:7",
            "example.org/shop/disk.Store disk/disk.go:3",
            "example.org/shop/disk.Store.Save disk/disk.go:5",
        ]
    );
    assert_eq!(
        found.uses,
        [
            "main.go:4 imports fmt import",
            "main.go:7 imports example.org/other/log import",
            "main.go:12 calls example.org/other/log.New import",
            "main.go:12 calls fmt.Println import",
            "main.go:15 references example.org/other/log.Logger import",
            "main.go:15 calls example.org/other/log.Logger.Info receiver",
        ]
    );
}

#[test]
fn values_that_go_round_in_a_circle_come_to_an_end() {
    let mut text = String::from("import outside\na = outside.start()\nb = a\n");
    for _ in 0..200 {
        text.push_str("a = b.next(a)\nb = a.next(b)\na = a.b.c.d.e\n");
    }
    let found = look(&[("main.py", &text)]);
    assert!(found.uses.iter().any(|one| one == "main.py:2 calls outside.start import"), "{:?}", found.uses);
}
