//! Trees that are looked at once: the same answers as from trees that are kept, and nothing left behind.

use std::ffi::c_void;

use vise_syntax::{Allocator, Document, Registry, parse, parse_once, set_allocator, visit};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// A tree as text.
fn shape(document: &Document<'_>) -> String {
    let mut text = String::new();
    visit(document.root(), |node| {
        text.push_str(&format!("{} {:?};", node.kind(), node.range()));
        true
    });
    text
}

/// One test, since the allocator is set once for the process and before anything is parsed.
#[test]
fn a_tree_that_is_looked_at_once_is_the_same() {
    // SAFETY: nothing was parsed yet; the four functions are the C library's.
    unsafe { set_allocator(Allocator { malloc, calloc, realloc, free }) };
    let registry = Registry::embedded().expect("the language files fit their grammars");
    let texts: Vec<(&str, String)> = vec![
        ("python", "def f(a):\n    return [a, 'x']\n".repeat(2_000)),
        ("rust", "fn f() { vec![a.b(), c!(d)]; }\n".to_owned()),
        ("javascript", format!("x = {}1{};", "[".repeat(20_000), "]".repeat(20_000))),
        ("bash", "cat <<E\n$x\nE\n".to_owned()),
        ("rust", "fn f( { ] }".to_owned()),
    ];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for (name, text) in texts.iter().cycle().take(15) {
                    let language = registry.by_name(name).expect("compiled in");
                    let kept = parse(language, text.as_bytes()).expect("within the budget");
                    let once = parse_once(language, text.as_bytes(), |document| {
                        // A parse within, and a kept tree that is looked at within.
                        let inner = parse_once(language, b"x", shape).expect("within the budget");
                        assert!(!inner.is_empty());
                        (shape(document), shape(&kept))
                    });
                    let (once, again) = once.expect("within the budget");
                    assert_eq!(once, again);
                    assert_eq!(once, shape(&kept));
                }
            });
        }
    });
    // What panics within leaves the memory usable.
    let rust = registry.by_name("rust").expect("compiled in");
    let caught = std::panic::catch_unwind(|| parse_once(rust, b"fn f() {}", |_| panic!("on purpose")));
    assert!(caught.is_err());
    assert_eq!(parse_once(rust, b"fn f() {}", |document| document.error_count()), Ok(0));
    assert_eq!(parse(rust, b"fn f() {}").expect("short").error_count(), 0);
}
