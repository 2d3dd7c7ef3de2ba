//! `vise graph view` and the Parquet export: what is written where.

mod common;

use std::fs;

use common::{House, house, says};
use serde_json::{Value, json};

fn shop() -> House {
    house(&[
        ("shop/__init__.py", ""),
        ("shop/disk.py", "import json\n\n\ndef save(x):\n    return json.dumps(x)\n"),
        ("shop/main.py", "from shop.disk import save\n\n\ndef run():\n    save(1)\n\n\ndef main():\n    run()\n"),
    ])
}

fn columns(answer: &Value) -> Vec<(String, i64)> {
    let node = |node: &Value| (node["symbol"]["name"].as_str().unwrap().to_owned(), node["column"].as_i64().unwrap());
    answer["nodes"].as_array().unwrap().iter().map(node).collect()
}

#[test]
fn a_view_is_a_page_in_the_current_folder() {
    let shop = shop();
    let run = shop.run(&["graph", "view", "save"]).code(0);
    assert_eq!(run.out, "vise-view-save.html: 3 symbols, 2 edges\n");
    let page = shop.read("vise-view-save.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<title>shop.disk.save</title>"), "{page}");
    assert!(page.contains("default-src 'none'") && !page.contains("http-equiv=\"refresh\""), "{page}");
    // Nothing in it names another place but the namespace of SVG.
    assert_eq!(page.matches("://").count(), page.matches("http://www.w3.org/2000/svg").count(), "{page}");
    let again = shop.run(&["graph", "view", "save", "--json"]).code(0).object();
    assert_eq!(shop.read("vise-view-save.html"), page);
    assert_eq!(again["path"], "vise-view-save.html");
    assert_eq!(columns(&again), [("save".to_owned(), 0), ("run".to_owned(), -1), ("main".to_owned(), -2)]);
    assert_eq!(again["edges"].as_array().unwrap().len(), 2);
    assert_eq!((&again["left_out"], &again["truncated"]), (&json!(0), &json!(false)));
    let cut = shop.run(&["graph", "view", "save", "--max", "2", "--json", "-o", "a/../cut.html"]);
    // The folder is not there, and none is made.
    says(&cut.code(2), "unavailable", &["cut.html"]);
    let cut = shop.run(&["graph", "view", "save", "--max", "2", "-o", "cut.html"]).code(0);
    assert_eq!(
        cut.out,
        "cut.html: 2 symbols, 1 edge\nnot shown: 1 symbol 2 steps to the left, and what lies behind; `--max` shows more\n"
    );
    let near = shop.run(&["graph", "view", "save", "--depth", "1", "--json", "-o", "near.html"]).code(0).object();
    assert_eq!(columns(&near).len(), 2);
}

#[test]
fn a_view_goes_to_the_output_and_links_lead_to_the_root() {
    let shop = shop();
    let drawing = shop.run(&["graph", "view", "save", "--format", "dot", "-o", "-"]).code(0);
    assert!(drawing.out.starts_with("digraph vise {\n") && drawing.out.ends_with("}\n"), "{}", drawing.out);
    assert_eq!(drawing.err, "-: 3 symbols, 2 edges\n");
    let picture = shop.run(&["graph", "view", "save", "--format", "svg", "-o", "-", "-q"]).code(0);
    assert!(picture.out.starts_with("<svg ") && picture.out.ends_with("</svg>\n") && picture.err.is_empty());
    let folder = shop.root.join("shop");
    let root = shop.root.to_str().unwrap();
    shop.run_in(&folder, &["graph", "--root", root, "view", "save", "--open"]).code(0);
    assert!(shop.read("shop/vise-view-save.html").contains(r#"{"base":"../","#));
    says(&shop.run(&["graph", "view", "nothing_like_it", "--json"]).code(1), "not_found", &["nothing_like_it"]);
    assert!(!shop.root.join("vise-view-nothing_like_it.html").exists());
}

#[test]
fn tables_go_where_the_shell_is() {
    let shop = shop();
    let elsewhere = shop.root.with_file_name("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let root = shop.root.to_str().unwrap();
    let out = ["--format", "parquet", "--out", "graphs/repository=shop"];
    let arguments: Vec<&str> = ["graph", "--root", root, "export"].into_iter().chain(out).collect();
    shop.run_in(&elsewhere, &arguments).code(0);
    let folder = elsewhere.join("graphs/repository=shop");
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["edges.parquet", "offers.parquet", "packages.parquet", "symbols.parquet", "uses.parquet"]);
    let read = || -> Vec<Vec<u8>> { names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect() };
    let first = read();
    // The second time the facts come from the store.
    shop.run_in(&elsewhere, &arguments).code(0);
    assert_eq!(read(), first);
    assert!(first.iter().all(|bytes| bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1")));
    let uses = String::from_utf8_lossy(&first[4]).into_owned();
    assert!(uses.contains("json.dumps") && !uses.contains("shop.disk"), "{uses}");
}
