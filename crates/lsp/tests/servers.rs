//! Real servers, each from cold: the first question is already answered completely.
//!
//! `LSP_TOOLS` names the folder of the servers. Without them a test here could not say anything, so a plain `cargo test`
//! ignores all of them, by name; `cargo xtask test` installs them and runs these too. What the binary makes of the same
//! servers is in `tests/real/servers`.

#![cfg(unix)]

#[allow(dead_code, reason = "shared with the other tests; each uses its part")]
mod support;

use std::path::{Path, PathBuf};

use support::World;
use vise_lsp::{Operation, Outcome, ServerConfig, State};
use vise_text::FileOp;

/// A server's own folder below the tools.
fn tool(path: &str) -> String {
    let tools = std::env::var_os("LSP_TOOLS")
        .unwrap_or_else(|| panic!("LSP_TOOLS is not set; it names the folder that the servers are installed in"));
    let path = Path::new(&tools).join(path);
    assert!(path.exists(), "{} is missing", path.display());
    path.display().to_string()
}

fn command(words: &[&str]) -> ServerConfig {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    ServerConfig { command: Some(words), ..ServerConfig::default() }
}

const PYTHON: &[(&str, &str)] = &[
    (".git/HEAD", ""),
    ("pyproject.toml", "[project]\nname = \"p\"\nversion = \"1\"\n"),
    ("shop/__init__.py", ""),
    (
        "shop/price.py",
        "class Price:\n    def total(self, count: int) -> int:\n        return count * 2\n\n\ndef discount(price: Price) -> int:\n    return price.total(1)\n",
    ),
    (
        "shop/cart.py",
        "from shop.price import Price, discount\n\n\ndef sum_up() -> int:\n    return discount(Price()) + Price().total(2)\n",
    ),
    ("shop/special.py", "from shop.price import Price\n\n\nclass Special(Price):\n    pass\n"),
    (
        "main.py",
        "from shop import cart\nfrom shop.price import discount as cheap\n\nprint(\"discount\", cheap, cart.sum_up())\n",
    ),
];

const DISCOUNT: [&str; 4] = ["main.py:2:24", "shop/cart.py:1:31", "shop/cart.py:5:12", "shop/price.py:6:5*"];

/// The files of a change, each with the texts that it replaces and what by.
fn change(world: &World, operation: Operation, symbol: &str, file: &str, line: usize) -> Vec<String> {
    let answer = world.ask(operation, symbol, file, line).unwrap();
    let Outcome::Change(ops) = answer.outcome else { panic!("{answer:?}") };
    let name = |path: &PathBuf| path.strip_prefix(&world.root).unwrap().display().to_string();
    let mut shown: Vec<String> = ops
        .iter()
        .flat_map(|op| match op {
            FileOp::Splice { path, edits, .. } => {
                let old = std::fs::read(path).unwrap();
                let edit = |placed: &vise_text::PlacedEdit| {
                    let old = String::from_utf8_lossy(&old[placed.edit.range.clone()]).into_owned();
                    format!("{}: {old} > {}", name(path), String::from_utf8_lossy(&placed.edit.text))
                };
                edits.iter().map(edit).collect()
            }
            FileOp::Rename { from, to } => vec![format!("{} > {}", name(from), name(to))],
            other => panic!("{other:?}"),
        })
        .collect();
    shown.sort();
    shown
}

fn hover(world: &World, symbol: &str, file: &str, line: usize) -> String {
    let answer = world.ask(Operation::Hover, symbol, file, line).unwrap();
    let Outcome::Hover(Some(text)) = answer.outcome else { panic!("{answer:?}") };
    text
}

fn messages(world: &World, file: &str) -> (Vec<String>, State) {
    let answer = world.ask(Operation::Diagnostics, "", file, 0).unwrap();
    let Outcome::Diagnostics(found, state) = answer.outcome else { panic!("{answer:?}") };
    (found.into_iter().map(|d| format!("{}:{} {}", d.line, d.column, d.code.unwrap_or_default())).collect(), state)
}

fn symbols(world: &World, operation: Operation, symbol: &str, file: &str) -> Vec<String> {
    let answer = world.ask(operation, symbol, file, 0).unwrap();
    let Outcome::Symbols(found) = answer.outcome else { panic!("{answer:?}") };
    found.into_iter().map(|s| format!("{} {} {}:{}", s.kind, s.name, s.file, s.line.unwrap_or(0))).collect()
}

/// What every Python server answers alike.
fn python(server: &str, config: ServerConfig) -> World {
    let world = World::new(PYTHON, server, config);
    let (places, answer) = world.places(Operation::FindReferences, "discount", "shop/price.py", 6);
    assert_eq!(places, DISCOUNT, "{server}: {answer:?}");
    assert!(!answer.incomplete, "{server}: {answer:?}");
    assert_eq!(world.places(Operation::GoToDefinition, "discount", "shop/cart.py", 5).0, ["shop/price.py:6:5*"]);
    assert!(hover(&world, "total", "shop/cart.py", 5).contains("count: int"));
    assert_eq!(
        change(&world, Operation::Rename { new_name: "rebate".into() }, "discount", "shop/price.py", 6),
        [
            "main.py: discount > rebate",
            "shop/cart.py: discount > rebate",
            "shop/cart.py: discount > rebate",
            "shop/price.py: discount > rebate"
        ]
    );
    // A file that another tool made is known to the next question.
    if server != "pyrefly" {
        world.write("late.py", "from shop.price import discount\n");
        let (places, _) = world.places(Operation::FindReferences, "discount", "shop/price.py", 6);
        assert_eq!(places.len(), 5, "{server}: {places:?}");
    }
    world
}

/// The names of the symbols of an answer.
fn related(world: &World, operation: Operation, symbol: &str, file: &str, line: usize) -> Vec<String> {
    let answer = world.ask(operation, symbol, file, line).unwrap();
    let mut names: Vec<String> = match answer.outcome {
        Outcome::Types(types) => types.into_iter().map(|symbol| symbol.name).collect(),
        Outcome::Calls(calls) => {
            calls.into_iter().map(|call| format!("{} {}", call.symbol.name, call.from.len())).collect()
        }
        other => panic!("{other:?} {:?}", answer.notes),
    };
    names.sort();
    names
}

/// Errors come with the edit that brings them and go with the one that takes them away.
fn breaks_and_heals(world: &World, broken: &str) {
    let good = PYTHON[4].1;
    assert_eq!(messages(world, "shop/cart.py"), (vec![], State::Fresh));
    world.write("shop/cart.py", &good.replace("total(2)", "total('2')"));
    assert_eq!(messages(world, "shop/cart.py"), (vec![broken.to_owned()], State::Fresh));
    world.write("shop/cart.py", good);
    assert_eq!(messages(world, "shop/cart.py"), (vec![], State::Fresh));
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn ty() {
    let world = python("ty", command(&[&tool("python/bin/ty"), "server"]));
    breaks_and_heals(&world, "5:46 invalid-argument-type");
    assert_eq!(related(&world, Operation::Supertypes, "Special", "shop/special.py", 4), ["Price"]);
    assert_eq!(related(&world, Operation::Subtypes, "Price", "shop/price.py", 1), ["Special"]);
    assert_eq!(related(&world, Operation::IncomingCalls, "total", "shop/price.py", 2), ["discount 1", "sum_up 1"]);
    assert_eq!(related(&world, Operation::OutgoingCalls, "discount", "shop/price.py", 6), ["total 1"]);
    assert_eq!(world.places(Operation::GoToTypeDefinition, "price", "shop/price.py", 7).0, ["shop/price.py:1:7"]);
    let signature = world.ask(Operation::Signature, "total", "shop/price.py", 7).unwrap();
    let Outcome::Hover(Some(text)) = signature.outcome else { panic!("{signature:?}") };
    assert!(text.contains("count: int"), "{text}");
    assert!(
        symbols(&world, Operation::WorkspaceSymbol, "Price", "").contains(&"class Price shop/price.py:1".to_owned())
    );
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn pyright() {
    let world = python("pyright", command(&[&tool("pyright/node_modules/.bin/pyright-langserver"), "--stdio"]));
    breaks_and_heals(&world, "5:46 reportArgumentType");
    let answer = world.ask(Operation::IncomingCalls, "total", "shop/price.py", 2).unwrap();
    let Outcome::Calls(calls) = answer.outcome else { panic!() };
    let calls: Vec<String> = calls.iter().map(|call| format!("{} {}", call.symbol.name, call.from.len())).collect();
    assert_eq!(calls, ["sum_up 1", "discount 1"]);
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn basedpyright() {
    let mut config = command(&[&tool("python/bin/basedpyright-langserver"), "--stdio"]);
    config.env.insert("PYTHONPATH".into(), tool("python"));
    let world = python("basedpyright", config);
    breaks_and_heals(&world, "5:46 reportArgumentType");
    let moved = Operation::RenameFile { to: world.root.join("shop/cost.py") };
    let moved = change(&world, moved, "", "shop/price.py", 0);
    assert!(moved.contains(&"shop/price.py > shop/cost.py".to_owned()), "{moved:?}");
    assert!(moved.contains(&"shop/cart.py: price > cost".to_owned()), "{moved:?}");
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn pyrefly() {
    python("pyrefly", command(&[&tool("python/bin/pyrefly"), "lsp"]));
}

const TYPESCRIPT: &[(&str, &str)] = &[
    (".git/HEAD", ""),
    ("package.json", "{}\n"),
    ("tsconfig.json", "{\"compilerOptions\": {\"strict\": true, \"module\": \"nodenext\"}, \"include\": [\"src\"]}\n"),
    (
        "src/price.ts",
        "export interface Priced { total(count: number): number }\nexport class Price implements Priced {\n  total(count: number) { return count * 2 }\n}\nexport function discount(price: Priced): number {\n  return price.total(1)\n}\n",
    ),
    (
        "src/cart.ts",
        "import { Price, discount } from './price.js'\nconst é = '😀'; export const sum = discount(new Price()) + é.length\n",
    ),
    (
        "src/main.ts",
        "import { sum } from './cart.js'\nimport { discount as cheap } from './price.js'\nconsole.log('discount', sum, cheap)\n",
    ),
];

fn typescript(server: &str, config: ServerConfig) -> World {
    let world = World::new(TYPESCRIPT, server, config);
    let (places, answer) = world.places(Operation::FindReferences, "discount", "src/price.ts", 5);
    assert!(!answer.incomplete, "{server}: {answer:?}");
    // Servers differ in whether the alias of an import counts.
    let plain: Vec<&str> = places.iter().map(String::as_str).filter(|at| !at.starts_with("src/main.ts")).collect();
    assert_eq!(plain, ["src/cart.ts:1:17", "src/cart.ts:2:35", "src/price.ts:5:17*"], "{server}: {answer:?}");
    assert!(places.iter().any(|at| at == "src/main.ts:2:10"), "{places:?}");
    assert_eq!(world.places(Operation::GoToDefinition, "discount", "src/cart.ts", 2).0, ["src/price.ts:5:17*"]);
    assert!(hover(&world, "discount", "src/cart.ts", 2).contains("discount(price: Priced): number"));
    let renamed = change(&world, Operation::Rename { new_name: "rebate".into() }, "discount", "src/price.ts", 5);
    assert_eq!(
        renamed,
        [
            "src/cart.ts: discount > rebate",
            "src/cart.ts: discount > rebate",
            "src/main.ts: discount > rebate",
            "src/price.ts: discount > rebate"
        ]
    );
    assert_eq!(messages(&world, "src/cart.ts"), (vec![], State::Fresh));
    world.write("src/cart.ts", &TYPESCRIPT[4].1.replace("new Price()", "1"));
    let (found, state) = messages(&world, "src/cart.ts");
    assert!(found.contains(&"2:44 2345".to_owned()) && state == State::Fresh, "{server}: {found:?}");
    world
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn typescript_7() {
    let world = typescript("tsc", command(&[&tool("typescript7/node_modules/.bin/tsc"), "--lsp", "--stdio"]));
    assert_eq!(world.places(Operation::GoToImplementation, "Priced", "src/price.ts", 1).0, ["src/price.ts:2:14"]);
    // Also where the name is imported, and not only where it is defined.
    assert_eq!(related(&world, Operation::IncomingCalls, "discount", "src/main.ts", 2), ["src/cart.ts 1"]);
    let found = symbols(&world, Operation::WorkspaceSymbol, "discount", "");
    assert_eq!(found[0], "function discount src/price.ts:5");
    let found = symbols(&world, Operation::DocumentSymbol, "", "src/price.ts");
    assert_eq!(
        found,
        ["interface Priced src/price.ts:1", "class Price src/price.ts:2", "function discount src/price.ts:5"]
    );
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn typescript_language_server() {
    let program = tool("typescript5/node_modules/.bin/typescript-language-server");
    let mut config = command(&[&program, "--stdio"]);
    let library = tool("typescript5/node_modules/typescript/lib");
    config.init_options = Some(serde_json::json!({"tsserver": {"path": library}}));
    typescript("typescript-language-server", config);
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn clangd() {
    let files = [
        (".git/HEAD", ""),
        ("shop.h", "#pragma once\nstruct Price { int total(int count); };\nint discount(Price price);\n"),
        (
            "shop.cc",
            "#include \"shop.h\"\nint Price::total(int count) { return count * 2; }\nint discount(Price price) { return price.total(1); }\n",
        ),
        ("main.cc", "#include \"shop.h\"\nint main() { return discount(Price()); }\n"),
    ];
    let mut config = command(&[&tool("python/clangd/data/bin/clangd"), "--background-index", "--limit-references=0"]);
    config.extensions = None;
    let world = World::new(&files, "clangd", config);
    let entry =
        |file: &str| serde_json::json!({"directory": world.root, "file": file, "arguments": ["clang++", "-c", file]});
    let commands = serde_json::json!([entry("shop.cc"), entry("main.cc")]);
    world.write("compile_commands.json", &commands.to_string());
    let (places, answer) = world.places(Operation::FindReferences, "discount", "shop.cc", 3);
    assert_eq!(places, ["main.cc:2:21", "shop.cc:3:5*", "shop.h:3:5"].map(|at| at.to_owned()), "{answer:?}");
    assert!(!answer.incomplete, "{answer:?}");
    assert!(hover(&world, "discount", "main.cc", 2).contains("discount"));
    assert_eq!(messages(&world, "main.cc"), (vec![], State::Fresh));
    world.write("main.cc", "#include \"shop.h\"\nint main() { return discount(1); }\n");
    assert_eq!(messages(&world, "main.cc").0, ["2:21 ovl_no_viable_function_in_call"]);
    let renamed = change(&world, Operation::Rename { new_name: "rebate".into() }, "discount", "shop.cc", 3);
    assert_eq!(renamed.len(), 3, "{renamed:?}");
}

#[test]
#[ignore = "needs language servers, in the folder that LSP_TOOLS names"]
fn rust_analyzer() {
    let files = [
        (".git/HEAD", ""),
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
        (
            "src/price.rs",
            "pub struct Price;\nimpl Price {\n    pub fn total(&self, count: u32) -> u32 {\n        count * 2\n    }\n}\npub fn discount(price: &Price) -> u32 {\n    price.total(1)\n}\n",
        ),
        (
            "src/main.rs",
            "mod price;\nuse price::{discount, Price};\nfn main() {\n    let é = \"😀\"; std::process::exit((discount(&Price) as usize + é.len()) as i32);\n}\n",
        ),
    ];
    let mut config = command(&[&tool("rust/rust-analyzer")]);
    config.init_options = Some(serde_json::json!({"checkOnSave": false}));
    let world = World::new(&files, "rust-analyzer", config);
    let (places, answer) = world.places(Operation::FindReferences, "discount", "src/price.rs", 7);
    assert_eq!(places, ["src/main.rs:2:13", "src/main.rs:4:38", "src/price.rs:7:8*"], "{answer:?}");
    assert!(!answer.incomplete, "{answer:?}");
    assert_eq!(
        world.places(Operation::GoToDefinition, "price::Price.total", "src/price.rs", 8).0,
        ["src/price.rs:3:12*"]
    );
    assert!(hover(&world, "discount", "src/main.rs", 4).contains("pub fn discount(price: &Price) -> u32"));
    assert_eq!(
        change(&world, Operation::Rename { new_name: "rebate".into() }, "discount", "src/price.rs", 7),
        ["src/main.rs: discount > rebate", "src/main.rs: discount > rebate", "src/price.rs: discount > rebate"]
    );
    let answer = world.ask(Operation::IncomingCalls, "total", "src/price.rs", 3).unwrap();
    let Outcome::Calls(calls) = answer.outcome else { panic!() };
    assert_eq!(calls.iter().map(|call| call.symbol.name.as_str()).collect::<Vec<_>>(), ["discount"]);
    let found = symbols(&world, Operation::WorkspaceSymbol, "discount", "");
    assert_eq!(found, ["function discount src/price.rs:7"]);
    let answer = world.ask(Operation::Supertypes, "Price", "src/price.rs", 1);
    assert!(answer.unwrap_err().to_string().starts_with("`rust-analyzer` does not offer `supertypes`"));
}
