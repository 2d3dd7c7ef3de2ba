//! The SCIP index of a small workspace in several languages, read back with the format's own library.

#![cfg(feature = "scip")]

mod yard;

use std::collections::{BTreeMap, BTreeSet};

use protobuf::Message;
use scip::symbol::{format_symbol, parse_symbol};
use scip::types::{Document, Index, PositionEncoding, SymbolRole, TextEncoding};
use vise_graph::export::{Head, Unplaced, write_scip};
use yard::Yard;

const FILES: &[(&str, &str)] = &[
    (
        "py/rate.py",
        "class Rate:\n    def get(self, n):\n        return n\n\n\ndef rate(n):\n    return Rate().get(n)\n",
    ),
    (
        "py/bill.py",
        "from py.rate import rate as r, Rate\n\n\nclass Bill(Rate):\n    def get(self, n):\n        return r(r(n)) + rate\n\n\ndef é(n): return \"r\", r(n)\n",
    ),
    (
        "ts/store.ts",
        "export interface Store {\n  save(x: number): void;\n}\n\nexport class Disk implements Store {\n  save(x: number): void {}\n}\n",
    ),
    (
        "ts/use.ts",
        "import { Disk, Store } from \"./store\";\n\nexport function run(s: Store): void {\n  s.save(1);\n  new Disk().save(2);\n}\n",
    ),
    (
        "rs/src/lib.rs",
        "pub struct A;\n\nimpl A {\n    pub fn make() -> A {\n        A\n    }\n}\n\n#[cfg(unix)]\npub fn twice(a: A) {}\n#[cfg(windows)]\npub fn twice(a: A) {}\n\npub fn go() {\n    twice(A::make())\n}\n",
    ),
    ("c/list.c", "static int size(int n) { return n; }\n\nint both(void) { return size(1) + size(2); }\n"),
    (
        "java/Shop.java",
        "class Shop {\n    int add(int a) { return a; }\n    int add(int a, int b) { return add(a) + b; }\n}\n",
    ),
];

fn written(yard: &Yard) -> (Index, Unplaced) {
    let opened = yard.open();
    let bytes = || {
        let mut bytes = Vec::new();
        let head = Head { root: "file:///somewhere", version: "1.2.3" };
        let unplaced = write_scip(&opened.graph, head, &|path| yard.text(path), &mut bytes).unwrap();
        (bytes, unplaced)
    };
    let (first, unplaced) = bytes();
    assert!(first == bytes().0, "other bytes for the same graph");
    (Index::parse_from_bytes(&first).unwrap(), unplaced)
}

/// The occurrences of a document as `LINE:COLUMN text symbol`, lines and columns from 1, `=` for definitions.
fn occurrences(document: &Document, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let say = |occurrence: &scip::types::Occurrence| {
        let [line, start, end] = occurrence.range[..] else { panic!("{occurrence:?}") };
        let text = &lines[line as usize][start as usize..end as usize];
        let role = match occurrence.symbol_roles {
            roles if roles & SymbolRole::Definition as i32 != 0 => "= ",
            roles if roles & SymbolRole::Import as i32 != 0 => "< ",
            _ => "",
        };
        let symbol = occurrence.symbol.strip_prefix("vise . . . ").unwrap();
        format!("{}:{} {text} {role}{symbol}", line + 1, start + 1)
    };
    document.occurrences.iter().map(say).collect()
}

#[test]
fn every_name_has_its_place() {
    let yard = Yard::new(FILES);
    let (index, unplaced) = written(&yard);
    let metadata = &index.metadata;
    assert_eq!(metadata.project_root, "file:///somewhere");
    assert_eq!(metadata.text_document_encoding, TextEncoding::UTF8.into());
    let tool = &metadata.tool_info;
    assert_eq!((&*tool.name, &*tool.version), ("vise", "1.2.3"));
    let documents: BTreeMap<&str, &Document> =
        index.documents.iter().map(|document| (&*document.relative_path, document)).collect();
    let languages: Vec<&str> = documents.values().map(|document| &*document.language).collect();
    assert_eq!(languages, ["C", "Java", "Python", "Python", "Rust", "TypeScript", "TypeScript"]);
    let mut said = String::new();
    for (path, text) in FILES {
        let document = documents[path];
        assert_eq!(document.position_encoding, PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into());
        said.push_str(&format!("{path}\n"));
        occurrences(document, text).iter().for_each(|line| said.push_str(&format!("  {line}\n")));
    }
    assert_eq!(said, include_str!("scip/occurrences.txt"));
    assert_eq!(unplaced, Unplaced::default());
}

#[test]
fn symbols_are_spelled_by_the_rules_and_once() {
    let (index, _) = written(&Yard::new(FILES));
    let mut seen = BTreeSet::new();
    let mut related = BTreeSet::new();
    for information in index.documents.iter().flat_map(|document| &document.symbols) {
        let parsed = parse_symbol(&information.symbol).unwrap();
        assert_eq!(format_symbol(parsed), information.symbol);
        assert!(seen.insert(information.symbol.clone()), "{} twice", information.symbol);
        for relationship in &information.relationships {
            assert!(relationship.is_implementation);
            related.insert((information.symbol.clone(), relationship.symbol.clone(), relationship.is_reference));
        }
    }
    for symbol in index.documents.iter().flat_map(|document| &document.occurrences).map(|one| &one.symbol) {
        assert!(seen.contains(symbol), "{symbol} is nowhere described");
    }
    let related: Vec<String> =
        related.iter().map(|(from, to, both)| format!("{from} > {to} {both}").replace("vise . . . ", "")).collect();
    assert_eq!(
        related,
        [
            "py/`bill.py`/Bill# > py/`rate.py`/Rate# false",
            "py/`bill.py`/Bill#get(). > py/`rate.py`/Rate#get(). true",
            "ts/`store.ts`/Disk# > ts/`store.ts`/Store# false",
            "ts/`store.ts`/Disk#save(). > ts/`store.ts`/Store#save(). true",
        ]
    );
}

#[test]
fn what_has_no_place_is_counted() {
    let yard = Yard::new(&[("a.py", "def f():\n    pass\n\n\ndef g():\n    f()\n")]);
    let opened = yard.open();
    let head = Head { root: "file:///x", version: "1" };
    let write = |text: &dyn Fn(&str) -> Option<Vec<u8>>| {
        let mut bytes = Vec::new();
        let unplaced = write_scip(&opened.graph, head, text, &mut bytes).unwrap();
        (Index::parse_from_bytes(&bytes).unwrap(), unplaced)
    };
    // Somebody else changed the file meanwhile.
    let (index, unplaced) = write(&|_| Some(b"def f():\n    pass\n".to_vec()));
    assert_eq!(unplaced, Unplaced { definitions: 1, uses: 1, files: 0 });
    assert_eq!((index.documents[0].symbols.len(), index.documents[0].occurrences.len()), (3, 2));
    let (index, unplaced) = write(&|_| None);
    assert_eq!(unplaced, Unplaced { definitions: 0, uses: 0, files: 1 });
    assert_eq!(index.documents.len(), 0);
}
