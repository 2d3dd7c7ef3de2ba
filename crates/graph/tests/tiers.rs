//! What compilers say over what we found: an index of another program, imported into a small workspace.

#![cfg(feature = "scip")]

mod yard;

use std::path::Path;

use protobuf::Message;
use scip::types::{Document, Index, Metadata, Occurrence, PositionEncoding, SingleLineRange, ToolInfo};
use vise_graph::Graph;
use vise_graph::export::{Form, Head, write, write_scip};
use vise_graph::index::{Options, add_import, remove_import};
use vise_graph::tier::{ImportedTool, LeftOut, ReadError, ScipIndex, read_scip};
use yard::{Yard, edges};

const DEFINITION: i32 = 1;
const SHOP: &[(&str, &str)] = &[
    ("a.py", "class A:\n    def run(self):\n        return 1\n\n\nclass B:\n    def run(self):\n        return 2\n"),
    ("b.py", "import a\n\n\ndef go(x):\n    x.run()\n    return a.A().run()\n"),
];

/// Names in a text, by line from 1, the text and which of its places on the line, with symbol and roles.
type Name<'n> = (u32, &'n str, usize, &'n str, i32);

fn document(path: &str, text: &str, names: &[Name<'_>]) -> Document {
    let occurrence = |(line, name, which, symbol, roles): &Name<'_>| {
        let content = text.lines().nth(*line as usize - 1).unwrap();
        let start = content.match_indices(name).nth(*which).unwrap().0;
        let column = |at: usize| i32::try_from(content[..at].encode_utf16().count()).unwrap();
        Occurrence {
            range: vec![i32::try_from(*line).unwrap() - 1, column(start), column(start + name.len())],
            symbol: (*symbol).to_owned(),
            symbol_roles: *roles,
            ..Occurrence::default()
        }
    };
    Document {
        relative_path: path.to_owned(),
        occurrences: names.iter().map(occurrence).collect(),
        ..Document::default()
    }
}

fn index(documents: Vec<Document>) -> Vec<u8> {
    let tool = ToolInfo { name: "oracle".to_owned(), version: "1.0".to_owned(), ..ToolInfo::default() };
    let metadata = Metadata { tool_info: Some(tool).into(), ..Metadata::default() };
    Index { metadata: Some(metadata).into(), documents, ..Index::default() }.write_to_bytes().unwrap()
}

/// What a compiler knows of [`SHOP`]: `x` is a `B`.
fn shop_index() -> Vec<u8> {
    let a = [
        (1, "A", 0, "py a A#", DEFINITION),
        (2, "run", 0, "py a A#run().", DEFINITION),
        (6, "B", 0, "py a B#", DEFINITION),
        (7, "run", 0, "py a B#run().", DEFINITION),
    ];
    let b = [
        (4, "go", 0, "py b go().", DEFINITION),
        (5, "x", 0, "local 1", 0),
        (5, "run", 0, "py a B#run().", 0),
        (6, "A", 0, "py a A#", 0),
        (6, "run", 0, "py a A#run().", 0),
    ];
    index(vec![document("a.py", SHOP[0].1, &a), document("b.py", SHOP[1].1, &b)])
}

fn read(yard: &Yard, bytes: &[u8]) -> Result<ScipIndex, ReadError> {
    read_scip(bytes, &yard.root, &|path| yard.text(path))
}

fn import(yard: &Yard, bytes: &[u8], tool: &str) {
    let index = read(yard, bytes).unwrap();
    add_import(&yard.root, &yard.options, (tool, &index.version), &index.files, &|| false).unwrap();
}

fn jsonl(graph: &Graph) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(graph, Form::Jsonl, &mut bytes).unwrap();
    bytes
}

fn imported(tool: &str, files: usize, matching: usize) -> ImportedTool {
    ImportedTool { tool: tool.to_owned(), version: "1.0".to_owned(), files, matching }
}

#[test]
fn compilers_know_better_and_go_without_a_trace() {
    let yard = Yard::new(SHOP);
    let before = yard.open();
    let found = [
        "b.py:1 b imports a.py::a import",
        "b.py:6 go instantiates a.py::A import",
        "b.py:6 go calls a.py::run receiver",
    ];
    assert_eq!(edges(&before.graph), found);
    assert_eq!((before.graph.meta().unresolved, before.imports.len()), (1, 0));

    import(&yard, &shop_index(), "oracle");
    let known = [
        "b.py:1 b imports a.py::a import",
        "b.py:5 go calls a.py::run compiler",
        "b.py:6 go instantiates a.py::A compiler",
        "b.py:6 go calls a.py::run compiler",
    ];
    let after = yard.open();
    assert_eq!(edges(&after.graph), known);
    // The call that nobody could resolve is one no more.
    assert_eq!(after.graph.meta().unresolved, 0);
    assert_eq!(after.imports, [imported("oracle", 2, 2)]);
    assert!(after.generation > before.generation);
    // From then on it is the stored generation that answers.
    assert_eq!(yard.open().generation, after.generation);

    // A file that changes is without a compiler, and has it again when it changes back.
    yard.write("b.py", &format!("\n{}", SHOP[1].1));
    let changed = yard.open();
    assert!(edges(&changed.graph).iter().all(|edge| !edge.ends_with("compiler")), "{:?}", edges(&changed.graph));
    assert_eq!(changed.imports, [imported("oracle", 2, 1)]);
    yard.write("b.py", SHOP[1].1);
    assert_eq!(jsonl(&yard.open().graph), jsonl(&after.graph));
    // So it is when the definitions are in a file that changed.
    yard.write("a.py", &format!("{}\n", SHOP[0].1));
    assert_eq!(edges(&yard.open().graph), found);
    yard.write("a.py", SHOP[0].1);

    // An index that is made anew knows what was imported.
    std::fs::remove_file(store(&yard).join("CURRENT")).unwrap();
    assert_eq!(jsonl(&yard.open().graph), jsonl(&after.graph));

    assert_eq!(remove_import(&yard.root, &yard.options, "oracle", &|| false).unwrap(), 2);
    let without = yard.open();
    assert_eq!(jsonl(&without.graph), jsonl(&before.graph));
    assert_eq!(without.imports, []);
    assert_eq!(remove_import(&yard.root, &yard.options, "oracle", &|| false).unwrap(), 0);
}

fn store(yard: &Yard) -> std::path::PathBuf {
    let stores = yard.options.cache_home.as_ref().unwrap().join("vise/graph");
    std::fs::read_dir(stores).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn another_target_takes_the_place_of_a_wrong_one() {
    let text = "def f():\n    pass\n\n\nif True:\n    def f():\n        pass\n\n\ndef g():\n    f()\n";
    let yard = Yard::new(&[("a.py", text)]);
    let names =
        [(1, "f", 1, "py f().", DEFINITION), (6, "f", 1, "py f(+1).", DEFINITION), (11, "f", 0, "py f(+1).", 0)];
    // We know two candidates.
    let two = edges(&yard.open().graph);
    assert_eq!(two.iter().filter(|edge| edge.contains("g calls a.py::f")).count(), 2, "{two:?}");
    import(&yard, &index(vec![document("a.py", text, &names)]), "oracle");
    let opened = yard.open();
    let calls: Vec<(u32, &str)> = (0..opened.graph.symbols())
        .flat_map(|ix| opened.graph.out(ix))
        .map(|edge| (opened.graph.symbol(edge.to).line, edge.evidence.as_str()))
        .collect();
    assert_eq!(calls, [(6, "compiler")]);
}

#[test]
fn of_several_definitions_on_one_line_the_one_that_is_meant() {
    let text = "class A { void f() {} static class B { void f() {} } }\nclass C {\n  void g(A a, A.B b) {\n    a.f();\n    b.f();\n  }\n}\n";
    let yard = Yard::new(&[("A.java", text)]);
    yard.open();
    let names = [
        (1, "f", 0, "j A#f().", DEFINITION),
        (1, "f", 1, "j B#f().", DEFINITION),
        // The other way round than the text has it.
        (4, "f", 0, "j B#f().", 0),
        (5, "f", 0, "j A#f().", 0),
    ];
    import(&yard, &index(vec![document("A.java", text, &names)]), "oracle");
    let graph = yard.open().graph;
    let said = |line: u32| {
        let all = (0..graph.symbols()).flat_map(|ix| graph.out(ix));
        let calls = all.filter(|edge| edge.line == line && edge.kind.as_str() == "calls");
        calls.map(|edge| (graph.symbol(edge.to).qualified.to_owned(), edge.evidence.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(said(4), [("A.B.f".to_owned(), "compiler")]);
    assert_eq!(said(5), [("A.f".to_owned(), "compiler")]);
}

#[test]
fn two_tools_stand_beside_each_other_and_the_later_word_of_one_counts() {
    let yard = Yard::new(SHOP);
    yard.open();
    import(&yard, &shop_index(), "oracle");
    let whole = jsonl(&yard.open().graph);
    import(&yard, &shop_index(), "other");
    let both = yard.open();
    assert_eq!(both.imports, [imported("oracle", 2, 2), imported("other", 2, 2)]);
    assert_eq!(jsonl(&both.graph), whole);
    // A second index of the same tool speaks for its files alone.
    let names = [(4, "go", 0, "py b go().", DEFINITION)];
    import(&yard, &index(vec![document("b.py", SHOP[1].1, &names)]), "oracle");
    remove_import(&yard.root, &yard.options, "other", &|| false).unwrap();
    let opened = yard.open();
    assert_eq!(opened.imports, [imported("oracle", 2, 2)]);
    assert!(edges(&opened.graph).iter().all(|edge| !edge.ends_with("compiler")));
}

#[test]
fn our_own_index_reads_back_as_what_it_was_made_of() {
    let files = [
        ("a.py", "class A:\n    def run(self):\n        return helper()\n\n\ndef helper():\n    return A().run()\n"),
        (
            "b.ts",
            "export const T = 1;\nexport type T = typeof T;\nexport const $d = $dd();\nfunction $dd() {\n  return $d;\n}\n\nexport function one(): void {}\nexport function two(): void {\n  one();\n}\n",
        ),
        ("c/c.c", "static int inner(void) { return 1; }\nint outer(void) {\n  return inner();\n}\n"),
        ("D.java", "class D {\n  int add(int a) { return a; }\n  int twice(int a) {\n    return add(a);\n  }\n}\n"),
        (
            "src/lib.rs",
            "pub struct S;\nimpl S {\n    pub fn new() -> S {\n        S\n    }\n}\npub fn go() {\n    S::new();\n}\n",
        ),
    ];
    let yard = Yard::new(&files);
    let before = yard.open();
    let mut bytes = Vec::new();
    let head = Head { root: "file:///elsewhere", version: "1.0" };
    write_scip(&before.graph, head, &|path| yard.text(path), &mut bytes).unwrap();
    let read = read(&yard, &bytes).unwrap();
    assert_eq!((&*read.tool, read.files.len(), read.left_out.len()), ("vise", 5, 0));
    import(&yard, &bytes, "vise");
    let after = yard.open();
    let wanted: Vec<String> =
        edges(&before.graph).iter().map(|edge| format!("{} compiler", edge.rsplit_once(' ').unwrap().0)).collect();
    assert!(wanted.len() > 8, "{wanted:?}");
    assert_eq!(edges(&after.graph), wanted);
}

#[test]
fn columns_count_as_the_document_says() {
    let text = "def é(): pass\n\n\ndef g(): return '𝄞', é()\n";
    let yard = Yard::new(&[("a.py", text)]);
    let line = text.lines().nth(3).unwrap();
    let start = line.rfind('é').unwrap();
    for (encoding, width) in [
        (PositionEncoding::UTF8CodeUnitOffsetFromLineStart, (|text: &str| text.len()) as fn(&str) -> usize),
        (PositionEncoding::UTF16CodeUnitOffsetFromLineStart, |text| text.encode_utf16().count()),
        (PositionEncoding::UnspecifiedPositionEncoding, |text| text.encode_utf16().count()),
        (PositionEncoding::UTF32CodeUnitOffsetFromLineStart, |text| text.chars().count()),
    ] {
        let place = |line: i32, before: &str| {
            let (start, end) = (width(before), width(before) + width("é"));
            // The newer of the two forms of a range.
            let mut occurrence = Occurrence { symbol: "py `é`().".to_owned(), ..Occurrence::default() };
            occurrence.set_single_line_range(SingleLineRange {
                line,
                start_character: i32::try_from(start).unwrap(),
                end_character: i32::try_from(end).unwrap(),
                ..SingleLineRange::default()
            });
            occurrence
        };
        let defined = Occurrence { symbol_roles: DEFINITION, ..place(0, "def ") };
        let document = Document {
            relative_path: "a.py".to_owned(),
            occurrences: vec![defined, place(3, &line[..start])],
            position_encoding: encoding.into(),
            ..Document::default()
        };
        yard.open();
        import(&yard, &index(vec![document]), "oracle");
        let found = edges(&yard.open().graph);
        assert_eq!(found, ["a.py:4 g calls a.py::é compiler"], "{encoding:?}");
        remove_import(&yard.root, &yard.options, "oracle", &|| false).unwrap();
    }
}

#[test]
fn what_is_no_index_of_these_files_is_said() {
    let yard = Yard::new(SHOP);
    let whole = shop_index();
    let not_an_index = |bytes: &[u8]| assert!(matches!(read(&yard, bytes), Err(ReadError::NotAnIndex(_))), "{bytes:?}");
    not_an_index(b"");
    not_an_index(b"{\"documents\": []}");
    not_an_index(&[0xff; 64]);
    not_an_index(&index(Vec::new()));
    // Cut short it is none, or one of fewer files: never a panic, never something else than it was.
    for end in 0..whole.len() {
        if let Ok(part) = read(&yard, &whole[..end]) {
            assert!(part.files.iter().all(|file| file.path == "a.py"), "{end}");
        }
    }
    for path in ["/etc/passwd", "../a.py", "x/../../a.py", "./a.py", "", "x//a.py", "x\\a.py", "a.py\0"] {
        let document = Document { relative_path: path.to_owned(), ..Document::default() };
        assert_eq!(read(&yard, &index(vec![document])), Err(ReadError::Path(path.to_owned())));
    }
    for range in [vec![], vec![0], vec![0, 1], vec![0, 3, 1], vec![-1, 0, 1], vec![0, 0, 0, 0, 0]] {
        let occurrence = Occurrence { range, symbol: "x".to_owned(), ..Occurrence::default() };
        let document =
            Document { relative_path: "a.py".to_owned(), occurrences: vec![occurrence], ..Document::default() };
        assert_eq!(read(&yard, &index(vec![document])), Err(ReadError::Range("a.py".to_owned())));
    }
    let left_out = |document: Document, why: LeftOut| {
        let path = document.relative_path.clone();
        let index = read(&yard, &index(vec![document])).unwrap();
        assert_eq!((index.files, index.left_out), (Vec::new(), vec![(path, why)]));
    };
    // Beyond the text, of another text by what it says itself, and by what stands where its definitions should.
    for range in [vec![99, 0, 1], vec![0, 0, 99], vec![7, 0, 9, 0]] {
        let occurrence = Occurrence { range, symbol: "x".to_owned(), ..Occurrence::default() };
        let occurrences = vec![occurrence];
        left_out(
            Document { relative_path: "a.py".to_owned(), occurrences, ..Document::default() },
            LeftOut::OtherContent,
        );
    }
    let other = Document { text: "x = 1\n".to_owned(), ..document("a.py", SHOP[0].1, &[]) };
    left_out(other, LeftOut::OtherContent);
    let moved = document("a.py", SHOP[0].1, &[(1, "A", 0, "py Z#", DEFINITION), (2, "run", 0, "py y().", DEFINITION)]);
    left_out(moved, LeftOut::OtherContent);
    left_out(document("gone.py", "", &[]), LeftOut::NotIndexed);
}

#[test]
fn an_index_of_a_folder_below_the_root_is_found_there() {
    let yard = Yard::new(&[("sub/a b.py", "def f(): pass\n\n\ndef g(): f()\n")]);
    let names = [(1, "f", 1, "py f().", DEFINITION), (4, "f", 1, "py f().", 0)];
    let text = String::from_utf8(yard.text("sub/a b.py").unwrap()).unwrap();
    let mut whole = Index::parse_from_bytes(&index(vec![document("a b.py", &text, &names)])).unwrap();
    let root = format!("file://{}/sub", yard.root.display()).replace("sub", "s%75b");
    whole.metadata.mut_or_insert_default().project_root = root;
    let found = read(&yard, &whole.write_to_bytes().unwrap()).unwrap();
    let paths: Vec<&str> = found.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["sub/a b.py"]);
    // Made on another machine, its paths are taken from the root.
    let found = read_scip(&index(vec![document("a b.py", &text, &names)]), Path::new("/x"), &|path| {
        assert_eq!(path, "a b.py");
        Some(text.clone().into_bytes())
    });
    assert_eq!(found.unwrap().files.len(), 1);
}

#[test]
fn where_nothing_is_kept_nothing_can_be_imported() {
    let yard = Yard::new(SHOP);
    let index = read(&yard, &shop_index()).unwrap();
    let options = Options { cache_home: None, ..yard.options.clone() };
    let error = add_import(&yard.root, &options, ("oracle", "1.0"), &index.files, &|| false).unwrap_err();
    assert!(error.to_string().contains("cannot be kept"), "{error}");
}

#[test]
fn whoever_is_killed_while_importing_leaves_what_there_was() {
    let yard = Yard::new(SHOP);
    let before = yard.open();
    // The first step of an import is done, and nothing else.
    std::fs::write(store(&yard).join("TIERS"), "77\n").unwrap();
    let after = yard.open();
    assert_eq!(jsonl(&after.graph), jsonl(&before.graph));
    assert!(after.generation > before.generation);
    assert_eq!(yard.open().generation, after.generation);
    import(&yard, &shop_index(), "oracle");
    // What says which imports there are is lost: they count all the same.
    let known = yard.open();
    std::fs::remove_file(store(&yard).join("TIERS")).unwrap();
    assert_eq!(jsonl(&yard.open().graph), jsonl(&known.graph));
    assert_eq!(known.imports, [imported("oracle", 2, 2)]);
}
