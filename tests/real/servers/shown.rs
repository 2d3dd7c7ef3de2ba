//! Answers in few words, so that a transcript can be read and compared.

use std::path::Path;

use serde_json::Value;

/// What an answer says, a line each.
pub(super) fn answer(answer: &Value, root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = answer["error"].as_object() {
        let text = |key: &str| error[key].as_str().unwrap_or_default();
        return vec![format!("{}: {}", text("kind"), text("message"))];
    }
    for at in list(answer, "locations") {
        let star = if at["definition"] == true { "*" } else { "" };
        lines.push(format!("{}{star}", place(at)));
    }
    lines.extend(list(answer, "symbols").chain(list(answer, "types")).map(symbol));
    for call in list(answer, "calls") {
        let from: Vec<String> = list(call, "from").map(place).collect();
        lines.push(format!("{} from {}", symbol(&call["symbol"]), from.join(", ")));
    }
    for action in list(answer, "actions") {
        let text = |key: &str| action[key].as_str().unwrap_or_default();
        lines.push(format!("{} {} ({})", action["index"], text("title"), text("kind")));
    }
    if let Some(hover) = answer["hover"].as_str() {
        // Links into folders whose name is another one each time say nothing of the symbol.
        let kept =
            hover.lines().filter(|line| !line.is_empty() && !line.starts_with("```") && !line.contains("](file:"));
        lines.extend(kept.map(|line| format!("| {line}")));
    }
    if let Some(diff) = answer["diff"].as_str() {
        let mut file = String::new();
        for line in diff.lines() {
            if let Some(name) = line.strip_prefix("+++ b/").or(line.strip_prefix("--- a/")) {
                name.clone_into(&mut file);
            } else if line.starts_with(['+', '-']) && !line.ends_with("/dev/null") {
                lines.push(format!("{file}: {line}"));
            }
        }
    } else if let Some(state) = answer["state"].as_str() {
        let files: Vec<&str> = list(answer, "files").filter_map(Value::as_str).collect();
        lines.push(format!("{state} {}", files.join(" ")).trim_end().to_owned());
    }
    if let Some(found) = answer["diagnostics"].as_array() {
        let mut found: Vec<String> = found.iter().map(diagnostic).collect();
        found.sort();
        lines.extend(if found.is_empty() { vec!["nothing is wrong".to_owned()] } else { found });
    }
    if answer["incomplete"] == true {
        lines.push("incomplete".to_owned());
    }
    for note in list(answer, "notes").filter_map(Value::as_str) {
        // That the checkout is not trusted is said once a conversation, whatever is asked first.
        if !note.starts_with("this checkout is not trusted") {
            // How long exactly was waited is another number each time.
            let note = note.split_once(" within `").map_or(note, |(before, _)| before);
            lines.push(format!("note: {note}"));
        }
    }
    lines.iter().map(|line| line.replace(&root.display().to_string(), "$ROOT")).collect()
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

fn place(at: &Value) -> String {
    format!("{}:{}:{}", file(at), at["line"], at["column"])
}

/// A file's name; of one that a server brings along, only the last part stays the same.
fn file(at: &Value) -> &str {
    let name = at["file"].as_str().unwrap_or_default();
    if name.starts_with('/') { name.rsplit('/').next().unwrap_or_default() } else { name }
}

fn symbol(symbol: &Value) -> String {
    let text = |key: &str| symbol[key].as_str().unwrap_or_default();
    let children: Vec<&str> = list(symbol, "children").filter_map(|child| child["name"].as_str()).collect();
    let holds = if children.is_empty() { String::new() } else { format!(" holds {}", children.join(", ")) };
    format!("{} {} {}:{}{holds}", text("kind"), text("name"), file(symbol), symbol["line"])
}

fn diagnostic(one: &Value) -> String {
    let text = |key: &str| one[key].as_str().unwrap_or_default();
    format!("{} {} {}", place(one), text("severity"), text("code"))
}
