//! What is kept comes back, and nothing else does.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::pack::{pack, unpack};
use super::*;
use crate::facts::{FileFacts, NameId, Symbol, SymbolIx};
use crate::graph::{BuiltFile, Graph};
use crate::kinds::SymbolKind;
use crate::resolution::Resolution;
use crate::sample::symbol;

#[test]
fn facts_are_packed_and_unpacked() {
    let facts = FileFacts { names: (0..500).map(|n| format!("name{n}")).collect(), ..FileFacts::default() };
    let hash = [7; 32];
    let packed = pack(&facts, &hash).unwrap();
    assert_eq!(unpack::<FileFacts>(&packed, &hash), Some(facts.clone()));
    assert_eq!(unpack::<FileFacts>(&packed, &[8; 32]), None);
    for at in 0..packed.len() {
        let mut changed = packed.clone();
        changed[at] ^= 0x10;
        assert_eq!(unpack::<FileFacts>(&changed, &hash), None, "byte {at}");
        assert_eq!(unpack::<FileFacts>(&packed[..at], &hash), None, "cut at {at}");
    }
    assert_eq!(unpack::<FileFacts>(&[], &hash), None);
}

#[test]
fn a_large_generation_is_mapped_and_outlives_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Path::new("/some/root")).unwrap();
    let lock = store.lock(Duration::ZERO, &|| false).unwrap().unwrap();
    // Signatures of a mebibyte each make much of little.
    let mut facts = FileFacts { names: ["f"].into_iter().collect(), ..FileFacts::default() };
    for n in 0..70_u32 {
        facts.names.push(&format!("{}{n}", " ".repeat(1 << 20)));
        let kind = if n == 0 { SymbolKind::Module } else { SymbolKind::Function };
        let signature = NameId(n + 1);
        facts.symbols.push(Symbol { signature, ..symbol(NameId(0), kind, SymbolIx::MODULE, n + 1) });
    }
    let file = BuiltFile { path: "a.py", language: "python", lines: 70, facts: &facts };
    let bytes = Graph::build(&[file], &Resolution::default());
    assert!(bytes.len() > 64 << 20);
    let current = store.publish(&lock, None, Some(&bytes), b"tree").unwrap();
    let graph = store.graph(current).unwrap();
    let next = store.publish(&lock, Some(current), Some(b"other"), b"tree").unwrap();
    assert!(matches!(store.graph(current), Err(Unreadable::Gone)));
    assert!(matches!(store.graph(next), Err(Unreadable::Damaged)));
    for ix in [0, 1, 69] {
        assert_eq!((graph.symbol(ix).line, graph.symbol(ix).signature.trim()), (ix + 1, &*ix.to_string()));
    }
    // The same as a mapped file that was cut or changed.
    let third = store.publish(&lock, Some(next), Some(&bytes), b"tree").unwrap();
    let path = store.folder().join(graph_name(third.graph));
    let mut changed = bytes.clone();
    changed[66 << 20] ^= 1;
    fs::write(&path, &changed).unwrap();
    assert!(matches!(store.graph(third), Err(Unreadable::Damaged)));
    fs::write(&path, &bytes[..65 << 20]).unwrap();
    assert!(matches!(store.graph(third), Err(Unreadable::Damaged)));
}

#[test]
fn what_counts_is_replaced_in_one_step() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Path::new("/some/root")).unwrap();
    assert!(matches!(store.current(), Err(Unreadable::Gone)));
    let lock = store.lock(Duration::ZERO, &|| false).unwrap().unwrap();
    let first = store.publish(&lock, None, Some(b"graph"), b"one").unwrap();
    assert_eq!((store.current().unwrap(), first), (first, Current { graph: 1, tree: 1 }));
    // A new tree for the same generation.
    let second = store.publish(&lock, Some(first), None, b"two").unwrap();
    assert_eq!((store.current().unwrap(), second), (second, Current { graph: 1, tree: 2 }));
    assert_eq!(store.tree(second).unwrap(), b"two");
    assert!(matches!(store.tree(first), Err(Unreadable::Gone)));
    for text in ["", "graph.1.bin tree.2.bin", "graph.1.bin tree.2.bin 0000000000000000\n", "\u{FF}"] {
        fs::write(store.folder().join(CURRENT), text).unwrap();
        assert!(matches!(store.current(), Err(Unreadable::Damaged)), "{text}");
    }
}

#[test]
fn one_writes_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Path::new("/some/root")).unwrap();
    let lock = store.lock(Duration::ZERO, &|| false).unwrap();
    assert!(lock.is_some());
    assert!(store.lock(Duration::from_millis(30), &|| false).unwrap().is_none());
    // Whoever asks to stop does not wait.
    assert!(store.lock(Duration::from_secs(3600), &|| true).unwrap().is_none());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| store.lock(Duration::from_secs(3600), &|| false).unwrap().is_some());
        // Meanwhile the folder is removed, as if to make room.
        std::thread::sleep(Duration::from_millis(50));
        fs::remove_dir_all(store.folder()).unwrap();
        drop(lock);
        assert!(waiter.join().unwrap());
    });
    assert!(store.folder().join(LOCK).exists());
}
