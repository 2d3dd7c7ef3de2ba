use super::*;
use serde_json::json;
use std::collections::BTreeSet;

/// A machine with these files and programs.
struct Machine {
    files: &'static [&'static str],
    tables: &'static [(&'static str, &'static str)],
    programs: &'static [&'static str],
}

impl Surroundings for Machine {
    fn has(&self, folder: &Path, name: &str) -> bool {
        let path = folder.join(name);
        self.files.iter().any(|file| Path::new(file) == path)
    }
    fn has_table(&self, file: &Path, table: &str) -> bool {
        self.tables.iter().any(|(known, tables)| Path::new(known) == file && *tables == table)
    }
    fn program(&self, spec: &ServerSpec, _: &Path) -> Result<PathBuf, String> {
        let program = spec.command[0].as_str();
        if self.programs.contains(&program) { Ok(program.into()) } else { Err(format!("there is no `{program}`")) }
    }
}

fn all() -> Vec<ServerSpec> {
    presets(&Registry::embedded().unwrap())
}

fn chosen(specs: &[ServerSpec], file: &str, machine: &Machine) -> Result<(String, String), NoServer> {
    let selection = select(specs, Path::new(file), Path::new("/w"), machine)?;
    let first = &selection.candidates[0];
    Ok((first.server.id.clone(), first.root.display().to_string()))
}

fn config(text: &str) -> BTreeMap<String, ServerConfig> {
    toml::from_str(text).unwrap()
}

#[test]
fn the_presets() {
    let specs = all();
    let ids: BTreeSet<&str> = specs.iter().map(|spec| spec.id.as_str()).collect();
    assert_eq!(ids.len(), specs.len(), "an id names one server");
    let expected = "basedpyright bash-language-server clangd dart elixir-ls gopls intelephense jdtls kotlin-lsp \
                    lua-language-server pyrefly pyright ruby-lsp rust-analyzer tsc ty typescript-language-server \
                    vscode-css-language-server vscode-html-language-server vscode-json-language-server vtsls \
                    yaml-language-server zls";
    assert_eq!(ids.into_iter().collect::<Vec<_>>().join(" "), expected);
    for spec in &specs {
        assert!(
            !spec.install.is_empty() && !spec.root_markers.is_empty() && spec.root_markers.contains(&".git".into())
        );
        assert!(spec.extensions.keys().all(|key| key.starts_with('.') && *key == key.to_lowercase()), "{}", spec.id);
    }
    let rust = specs.iter().find(|spec| spec.id == "rust-analyzer").unwrap();
    let (_, options) = rust.told(false);
    assert_eq!(options["procMacro"], json!({"enable": false}));
    assert_eq!(options["cargo"], json!({"targetDir": true, "buildScripts": {"enable": false}}));
    assert_eq!(rust.told(true).1.get("procMacro"), None);
}

#[test]
fn a_projects_interpreter_is_used_unless_another_is_given() {
    let mut specs = all();
    let given = |specs: &[ServerSpec], id: &str| {
        let mut spec = specs.iter().find(|spec| spec.id == id).unwrap().clone();
        spec.use_interpreter(Path::new("/w/.venv/bin/python"));
        spec.settings.pointer("/python/pythonPath").cloned()
    };
    assert_eq!(given(&specs, "pyright"), Some(json!("/w/.venv/bin/python")));
    assert_eq!(given(&specs, "ty"), None);
    configure(&mut specs, &config("pyright.settings = { python.pythonPath = \"/mine\" }")).unwrap();
    assert_eq!(given(&specs, "pyright"), Some(json!("/mine")));
}

#[test]
fn presets_are_candidates_in_order() {
    let specs = all();
    let machine = Machine {
        files: &["/w/.git", "/w/api/pyproject.toml", "/w/old/ty.toml", "/w/old/.git"],
        tables: &[("/w/api/pyproject.toml", "tool.basedpyright")],
        programs: &["pyright-langserver", "basedpyright-langserver", "ty"],
    };
    assert_eq!(chosen(&specs, "/w/a.py", &machine), Ok(("pyright".into(), "/w".into())));
    assert_eq!(chosen(&specs, "/w/api/x/a.PY", &machine), Ok(("basedpyright".into(), "/w/api".into())));
    assert_eq!(chosen(&specs, "/w/old/a.pyi", &machine), Ok(("ty".into(), "/w/old".into())));
    let bare = Machine { programs: &["pyrefly"], ..machine };
    assert_eq!(chosen(&specs, "/w/old/a.py", &bare), Ok(("pyrefly".into(), "/w/old".into())));
}

#[test]
fn the_strongest_marker_wins_and_the_innermost_of_its_kind() {
    let machine = Machine {
        files: &["/w/go.work", "/w/a/go.mod", "/w/a/b/go.mod", "/Cargo.toml", "/w/r/Cargo.toml", "/w/r/c/Cargo.toml"],
        tables: &[],
        programs: &["gopls", "rust-analyzer"],
    };
    let specs = all();
    assert_eq!(chosen(&specs, "/w/a/b/x.go", &machine).unwrap().1, "/w");
    assert_eq!(chosen(&specs, "/w/r/c/src/x.rs", &machine).unwrap().1, "/w/r/c");
    let none = chosen(&specs, "/w/x.rs", &machine).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no language server for `.rs` files can be used here; `rust-analyzer`: none of rust-project.json, Cargo.lock, \
         Cargo.toml, .git is here (install: rustup component add rust-analyzer)"
    );
}

#[test]
fn what_nobody_claims_and_what_is_not_installed_differ() {
    let machine = Machine { files: &["/w/.git"], tables: &[], programs: &[] };
    let specs = all();
    assert_eq!(chosen(&specs, "/w/a.xyz", &machine), Err(NoServer::Unclaimed(".xyz".into())));
    assert_eq!(chosen(&specs, "/w/Makefile", &machine), Err(NoServer::Unclaimed(String::new())));
    let Err(NoServer::NotThere(_, tried)) = chosen(&specs, "/w/a.ts", &machine) else { panic!() };
    let tried: Vec<&str> = tried.iter().map(|one| one.server.as_str()).collect();
    assert_eq!(tried, ["tsc", "typescript-language-server", "vtsls"]);
}

#[test]
fn a_configuration_changes_presets_and_adds_servers() {
    let machine = Machine { files: &["/w/.git"], tables: &[], programs: &["pyright-langserver", "ty", "mine", "ruff"] };
    let mut specs = all();
    configure(
        &mut specs,
        &config(
            "ty.settings = { ty.a = 1 }\npyright.enabled = false\n[mine]\ncommand = [\"mine\"]\n\
             extensions = { \".q\" = \"q\" }\n[ruff]\ncommand = [\"ruff\", \"server\"]\nrole = \"additional\"\n\
             extensions = { \".py\" = \"python\" }",
        ),
    )
    .unwrap();
    assert_eq!(chosen(&specs, "/w/a.py", &machine).unwrap().0, "ty");
    assert_eq!(chosen(&specs, "/w/x/a.q", &machine), Ok(("mine".into(), "/w".into())));
    let selection = select(&specs, Path::new("/w/a.py"), Path::new("/w"), &machine).unwrap();
    let ids = |choices: &[Choice<'_>]| choices.iter().map(|choice| choice.server.id.clone()).collect::<Vec<_>>();
    assert_eq!((ids(&selection.candidates), ids(&selection.additional)), (vec!["ty".into()], vec!["ruff".into()]));
    let unusable: Vec<&str> = selection.unusable.iter().map(|one| one.server.as_str()).collect();
    assert_eq!(unusable, ["basedpyright", "pyrefly"]);

    configure(&mut specs, &config("pyright.enabled = true")).unwrap();
    let conflict = chosen(&specs, "/w/a.py", &machine).unwrap_err();
    assert_eq!(conflict, NoServer::Conflict(".py".into(), "pyright".into(), "ty".into()));
    assert!(conflict.to_string().starts_with("`pyright` and `ty` are both primary for `.py` files"));

    let refused = |text| configure(&mut all(), &config(text)).unwrap_err();
    assert!(refused("new.command = [\"x\"]").contains("needs `command` and `extensions`"));
    assert!(refused("ty.command = []").contains("is empty"));
    assert!(refused("ty.extensions = { py = \"python\" }").contains("has its dot"));
}
