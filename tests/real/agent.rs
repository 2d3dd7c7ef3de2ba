//! An agent at work through the official client, on a copy of click: what it reads is all that it knows.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{copy, named};

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `agent.py` on a copy of click, and gives what it was told.
fn agent(folder: &Path) -> Value {
    let code = folder.join("click");
    copy(&named("REPOSITORIES").join("click"), &code);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/real/agent.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(named("VISE")).arg(&code).env("PYTHONPATH", named("MCP_CLIENT"));
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HOME"] {
        python.env(variable, folder.join(variable.to_lowercase()));
    }
    let output = python.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "needs the MCP client for Python and click; `cargo xtask test` fetches them"]
fn an_agent_does_three_tasks_by_tool_answers_alone() {
    let scratch = Scratch(std::env::temp_dir().join(format!("vise-agent-{}", std::process::id())));
    std::fs::create_dir_all(&scratch.0).unwrap();
    let told = agent(&scratch.0);
    println!("{told}");
    let tools: Vec<&str> = told["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for tool in ["graph", "ast_grep", "ast_edit", "resolve", "write", "edit", "apply_patch"] {
        assert!(tools.contains(&tool), "{tools:?}");
    }
    assert!(told["list_bytes"].as_u64().unwrap() <= 12_000, "{told}");
    assert!(told["instructions"].as_str().unwrap().contains("`graph`"));

    // A signature: the places that the graph names are those that were changed, and none is left.
    let signature = &told["signature"];
    assert_eq!(signature["callers"], signature["places"]);
    assert_eq!((signature["callers"].as_array().unwrap().len(), &signature["left"]), (23, &json!(0)), "{signature}");
    // A form: what was found was replaced, and what was dropped left no trace.
    let shape = &told["shape"];
    assert_eq!(shape["matches"], shape["changes"]);
    assert_eq!(shape["matches"], 118);
    // A broken function is found by what changed, and is as before in the end.
    assert_eq!(told["test"]["changed"], json!(["term_len"]));
    assert_eq!((&told["test"]["found"], &told["left_over"]), (&json!(true), &json!("")));

    let bytes = ["signature", "shape", "test"].map(|task| told[task]["bytes"].as_u64().unwrap());
    assert!(bytes.iter().sum::<u64>() < 60_000, "{bytes:?}");
    assert!(told["error"].as_str().unwrap().starts_with("did you mean `callers`?"));
    assert!(told["unknown"].as_str().unwrap().contains("did you mean `graph`?"));
    assert_eq!(told["at_once"], 1, "fifty at once are answered alike");
    assert_eq!(told["legacy"][1], tools.len());
}
