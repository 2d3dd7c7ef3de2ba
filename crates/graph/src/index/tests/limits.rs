//! What is left out, and what is too much.

use super::*;

#[test]
fn files_are_left_out_for_a_reason() {
    let mut bench = Bench::new(&[
        ("ok.py", "def f\n"),
        ("binary.py", "a\0b"),
        ("hard.py", "too hard\n"),
        ("long.py", &"def g\n".repeat(100)),
        ("bundle.js", &format!("{}\n", "x;".repeat(60_000))),
        ("image.png", "a\0b"),
        ("NOTICE", "a\0b"),
    ]);
    let skipped = |opened: &Opened| -> Vec<(String, &str)> {
        opened.skipped.iter().map(|skipped| (skipped.file.clone(), skipped.why.as_str())).collect()
    };
    let words = |list: &[(&str, &'static str)]| -> Vec<(String, &str)> {
        list.iter().map(|(file, why)| ((*file).to_owned(), *why)).collect()
    };
    let usual = words(&[("binary.py", "binary"), ("bundle.js", "minified"), ("hard.py", "budget")]);
    assert_eq!(skipped(&bench.check(2, 0, 0)), usual);
    assert_eq!(skipped(&bench.check(0, 2, 0)), usual);
    bench.settle();
    assert_eq!(skipped(&bench.check(0, 2, 0)), usual);
    bench.options.max_file_bytes = 500;
    let short = [("binary.py", "binary"), ("bundle.js", "too_large"), ("hard.py", "budget"), ("long.py", "too_large")];
    assert_eq!(skipped(&bench.check(0, 1, 0)), words(&short));
    bench.options.max_file_bytes = MAX_FILE_BYTES;
    assert_eq!(skipped(&bench.check(0, 2, 0)), usual);
    bench.write("hard.py", "def easy\n");
    assert_eq!(bench.check(1, 2, 0).skipped.len(), 2);
    bench.write("ok.py", "a\0b");
    assert_eq!(bench.check(0, 2, 1).skipped.len(), 3);
}

#[test]
fn too_many_files_are_refused() {
    let mut bench = Bench::new(&[("a.py", ""), ("b.py", ""), ("c.py", ""), ("d.txt", ""), ("e", "")]);
    bench.options.max_files = 2;
    let error = bench.try_open().unwrap_err();
    assert_eq!(error.kind(), vise_workspace::ErrorKind::BadInput);
    assert_eq!(error.to_string(), "there are 3 files to index, and `max_files` is 2");
    assert!(error.hint().unwrap().contains("--yes"));
    bench.options.yes = true;
    assert_eq!(bench.try_open().unwrap().report.parsed, 3);
    // What was agreed to once is not asked again.
    bench.options.yes = false;
    assert_eq!(bench.try_open().unwrap().report.reused, 3);
    bench.write("f.py", "");
    assert_eq!(bench.try_open().unwrap().report.parsed, 1);
}

#[test]
fn excluded_files() {
    let mut bench = Bench::new(&[("a.py", ""), ("gen/b.py", ""), ("x/gen/y/c.py", "")]);
    bench.check(3, 0, 0);
    bench.options.exclude = vec!["**/gen/**".to_owned()];
    bench.check(0, 1, 2);
    bench.write("gen/d.py", "");
    bench.check(0, 1, 0);
    bench.options.exclude = vec!["[".to_owned()];
    let error = bench.try_open().unwrap_err();
    assert!(error.to_string().contains("`![`"), "{error}");
    bench.options.exclude = Vec::new();
    bench.check(3, 1, 0);
}

#[test]
fn another_extractor_parses_all_again() {
    let mut bench = Bench::new(&[("a.py", ""), ("b.py", "")]);
    bench.check(2, 0, 0);
    bench.options.extractor = 7;
    bench.check(2, 0, 0);
    bench.options.extractor = 0;
    bench.check(2, 0, 0);
}

#[test]
fn a_root_that_is_none() {
    let bench = Bench::new(&[("a.py", "")]);
    for path in ["gone", "a.py"] {
        let error = sample_open(&bench.at(path), &bench.options).unwrap_err();
        assert_eq!(error.kind(), vise_workspace::ErrorKind::BadInput, "{error}");
    }
}

#[test]
fn stopping() {
    let bench = Bench::new(&[("a.py", ""), ("b.py", "")]);
    let steps = Steps { extract: &extract, resolve: &resolve };
    let result = open(&bench.root, &bench.options, registry(), &steps, &|_, _| {}, &|| true);
    assert!(matches!(result, Err(Error::Cancelled)));
    bench.check(2, 0, 0);
}

#[test]
fn progress_comes_to_its_end() {
    let bench = Bench::new(&[("a.py", ""), ("b.py", ""), ("c.py", "")]);
    let told = std::sync::Mutex::new(Vec::new());
    let steps = Steps { extract: &extract, resolve: &resolve };
    let progress = |done, of| told.lock().unwrap().push((done, of));
    open(&bench.root, &bench.options, registry(), &steps, &progress, &|| false).unwrap();
    let mut told = told.into_inner().unwrap();
    told.sort_unstable();
    assert_eq!(told, [(1, 3), (2, 3), (3, 3)]);
}

#[test]
fn old_stores_make_room() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let mut options = options(&top);
    let root = |n: usize| top.join(format!("root{n}"));
    let mut bytes = Vec::new();
    for n in 0..4 {
        fs::create_dir(root(n)).unwrap();
        fs::write(root(n).join("a.py"), "def f\n").unwrap();
        bytes.push(sample_open(&root(n), &options).unwrap().store_bytes);
        // Times of files may be as coarse as the system's clock ticks.
        std::thread::sleep(Duration::from_millis(20));
    }
    let stores = || fs::read_dir(options_stores(&top)).unwrap().count();
    assert_eq!(stores(), 4);
    // The first is used again, so the second is the oldest one.
    let current = options_stores(&top).join(folder_of(&root(0))).join("CURRENT");
    fs::File::options().append(true).open(current).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    options.max_store_bytes = bytes.iter().sum::<u64>() - 1;
    fs::write(root(3).join("a.py"), "def g\n").unwrap();
    sample_open(&root(3), &options).unwrap();
    let left: Vec<bool> = (0..4).map(|n| options_stores(&top).join(folder_of(&root(n))).exists()).collect();
    assert_eq!(left, [true, false, true, true]);
    // The one in use stays even if it alone is too large.
    options.max_store_bytes = 1;
    fs::write(root(3).join("a.py"), "def h\n").unwrap();
    assert!(sample_open(&root(3), &options).unwrap().generation > 0);
    assert_eq!(stores(), 1);
    assert_eq!(sample_open(&root(1), &options).unwrap().report.parsed, 1);
}

fn options_stores(top: &Path) -> PathBuf {
    top.join("cache/vise/graph")
}

fn folder_of(root: &Path) -> String {
    vise_text::ContentHash::of(root.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned()
}
