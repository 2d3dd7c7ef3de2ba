//! `docs/scale.md`, statement by statement as it stands there, on three repositories that use each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::named;

/// Runs the statements that come as `[[NAME, SQL], …]`, and prints the rows of each as `{NAME: [[…]]}`.
const RUNNER: &str = r#"
import json, sys
engine, statements = sys.argv[1], json.load(sys.stdin)
if engine == "duckdb":
    import duckdb
    connection = duckdb.connect()
    run = lambda sql: connection.execute(sql).fetchall()
else:
    from pyspark.sql import SparkSession
    # Small tables: what makes Spark fast on large ones makes it slow here.
    settings = {
        "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1",
        "spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false",
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    run = lambda sql: session.sql(sql).collect()
print(json.dumps({name: [list(row) for row in run(sql)] for name, sql in statements}))
"#;

/// The fences of the page: what stands behind the backticks, and the text.
fn fences() -> BTreeMap<String, String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scale.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut fences = BTreeMap::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(tag) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            // Of fences with the same tag the first counts.
            fences.entry(tag.to_owned()).or_insert(text.join("\n"));
        }
    }
    fences
}

/// A scratch folder, removed in the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn rows(engine: &str, folder: &Path, statements: &[(&str, String)]) -> Value {
    use std::io::Write;
    use std::process::Stdio;
    let mut python = Command::new("python3");
    python.args(["-c", RUNNER, engine]).current_dir(folder).env("PYTHONPATH", named("ENGINES"));
    python.env("PYSPARK_PYTHON", "python3").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = python.spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(statements).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{engine}: {}\n{words}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "needs DuckDB, Spark and three repositories; `cargo xtask test` fetches them"]
fn the_page_about_many_repositories_holds_in_duckdb_and_spark() {
    let fences = fences();
    let fence = |tag: &str| fences.get(tag).unwrap_or_else(|| panic!("docs/scale.md has no `{tag}` fence")).clone();
    let scratch = Scratch(std::env::temp_dir().join(format!("vise-scale-{}", std::process::id())));
    let folder = scratch.0.as_path();
    std::fs::create_dir_all(folder).unwrap();
    let dirs: Vec<String> =
        ["click", "flask", "werkzeug"].map(|name| named("REPOSITORIES").join(name).display().to_string() + "\n").into();
    std::fs::write(folder.join("repositories.txt"), dirs.concat()).unwrap();

    // Indexing, by the page's own line for xargs.
    let vise = named("VISE");
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-ec", &fence("sh")]).current_dir(folder);
    shell.env("PATH", format!("{}:{path}", vise.parent().unwrap().display()));
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME"] {
        shell.env(variable, folder.join(variable.to_lowercase()));
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let views = |engine: &str| -> Vec<(&str, String)> {
        let text = fence(&format!("sql {engine}"));
        text.split(';').filter(|sql| !sql.trim().is_empty()).map(|sql| ("views", sql.to_owned())).collect()
    };
    let queries = ["depends", "callers", "impact", "between", "twins", "some"];
    let statements = |engine: &str, more: &[&'static str]| -> Vec<(&str, String)> {
        let queries = queries.iter().chain(more).map(|name| (*name, fence(&format!("sql {name}"))));
        views(engine).into_iter().chain(queries).collect()
    };
    let duckdb = rows("duckdb", folder, &statements("duckdb", &["duckdb-impact"]));
    let spark = rows("spark", folder, &statements("spark", &[]));
    for found in [&duckdb, &spark] {
        assert_eq!(
            found["callers"],
            json!([
                [
                    "flask",
                    "flask.sessions.SecureCookieSessionInterface.save_session",
                    "calls",
                    "receiver",
                    "src/flask/sessions.py",
                    374
                ],
                [
                    "flask",
                    "tests.test_basic.test_max_cookie_size.index",
                    "calls",
                    "receiver",
                    "tests/test_basic.py",
                    1938
                ],
            ])
        );
        assert_eq!(
            found["impact"],
            json!([
                ["flask", "flask.app.Flask.run", 1],
                ["flask", "flask.cli.FlaskGroup.get_command", 1],
                ["flask", "flask.cli.FlaskGroup.list_commands", 1],
                ["flask", "flask.cli.load_dotenv", 1],
                ["flask", "flask.cli._env_file_callback", 2],
                ["flask", "flask.cli", 3],
            ])
        );
        assert_eq!(
            found["between"],
            json!([
                ["flask", "click", "click", 190],
                ["flask", "werkzeug", "Werkzeug", 293],
                ["werkzeug", "click", "click", 151],
            ])
        );
        assert_eq!(found["twins"], json!([]));
        assert_eq!(found["some"], json!([["flask", 188], ["werkzeug", 143]]));
    }
    assert_eq!(duckdb["duckdb-impact"], json!([["click", 7], ["flask", 9]]));
}
