//! What makes vise part of somebody's set-up: `init`, `hook`, `completions`, `man`, `--version`.

mod common;

use common::{house, says};
use serde_json::json;

#[test]
fn an_agents_entry_is_a_proposal() {
    for (agent, file) in [
        ("claude-code", ".mcp.json"),
        ("codex", ".codex/config.toml"),
        ("opencode", "opencode.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("zed", ".zed/settings.json"),
        ("gemini", ".gemini/settings.json"),
    ] {
        let house = house(&[]);
        let prepared = house.run(&["init", agent, "--json"]).code(0).object();
        assert!(!house.root.join(file).exists(), "{agent}: nothing is written yet");
        house.run(&["resolve", prepared["proposal"].as_str().unwrap(), "accept"]).code(0);
        let text = house.read(file);
        assert!(text.contains("mcp") && text.contains(env!("CARGO_BIN_EXE_vise")), "{agent}: {text}");
        let again = house.run(&["init", agent]).code(1);
        assert!(again.out.contains("knows vise already"), "{again:?}");
    }
}

#[test]
fn a_file_with_comments_is_left_alone() {
    let house = house(&[(".zed/settings.json", "{\n  // mine\n}\n")]);
    let refused = house.run(&["init", "zed", "--json"]).code(2);
    says(&refused, "refused", &["no plain JSON", "context_servers"]);
    assert_eq!(house.read(".zed/settings.json"), "{\n  // mine\n}\n");
}

#[test]
fn a_hook_is_never_in_the_way() {
    let house = house(&[("a.unknown", "x\n"), ("a.py", "x = 1\n")]);
    let said =
        |file: &str| json!({"session_id": "s", "cwd": house.root, "tool_input": {"file_path": file}}).to_string();
    let outside = said("/etc/passwd");
    for input in ["", "garbage", "[1]", "{}", &said("a.unknown"), &said("gone.py"), &said("../.."), &outside] {
        let run = house.run_with_input(&["hook", "post-edit"], input.as_bytes()).code(0);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{input}");
    }
    assert!(house.run(&["hook", "post-edit", "--timeout", "0"]).code(2).err.contains("seconds are a number over 0"));
}

#[test]
fn completions_pages_and_the_version_are_printed() {
    let house = house(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(house.run(&["completions", shell]).code(0).out.contains("ast-grep"), "{shell}");
    }
    assert!(house.run(&["man"]).code(0).out.contains(".TH vise 1"));
    assert!(house.run(&["man", "grep"]).code(0).out.contains("vise\\-ast\\-grep"));
    says(&house.run(&["man", "grpah", "--json"]).code(2), "bad_input", &["no command `grpah`", "`graph`"]);
    let version = house.run(&["--version"]).code(0).out;
    assert!(version.starts_with("vise ") && version.contains("\nfeatures: "), "{version}");
    assert_eq!(house.run(&["-V"]).code(0).out.lines().count(), 1);
}
