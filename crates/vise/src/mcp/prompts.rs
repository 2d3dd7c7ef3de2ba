//! The three workflows that a person may start by name.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use vise_tools::nearest;

/// A workflow: what it is called, what it is for, what it asks for, and what the agent is told to do.
struct Workflow {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    argument: (&'static str, &'static str),
    steps: &'static str,
}

/// `{}` is what the person gave.
const WORKFLOWS: [Workflow; 3] = [
    Workflow {
        name: "understand",
        title: "Understand a piece of code",
        about: "What it is, who uses it, and what a change to it would reach",
        argument: ("what", "A symbol, a file or a question"),
        steps: "Explain {}.\n\
            1. If it is not the name of a symbol, find your way with `graph` op `map`, then `outline` and `find`.\n\
            2. Read it with `graph` op `context`: source, callers, callees and tests in one answer.\n\
            3. For what a change would reach, ask op `impact`; for what only types tell, ask `lsp`.\n\
            Say what it does, who depends on it and how sure that is (each edge names its evidence), and which tests cover \
            it. Name places as file:line. Change nothing.",
    },
    Workflow {
        name: "refactor",
        title: "Change code safely",
        about: "A change at many places, reviewed before it is written",
        argument: ("change", "What should be different"),
        steps: "Make this change: {}.\n\
            1. Find every place first: `graph` op `references` or `impact` for a symbol, `ast_grep` for a shape.\n\
            2. Prepare: `lsp` operation `rename` for a name, `ast_edit` for a shape, `edit` for a single place.\n\
            3. Read the diff and what is listed under `refused`; discard and prepare again if it is not what was meant.\n\
            4. `resolve` the proposal. If it is `stale`, prepare it again.\n\
            5. Look at the new diagnostics, then run the tests that `graph` op `diff` names.\n\
            Say what was changed, what was left alone and why.",
    },
    Workflow {
        name: "fix_test",
        title: "Fix a failing test",
        about: "From the failure to its cause, and to a change that is no more than needed",
        argument: ("test", "The test, or how it is run"),
        steps: "This test fails: {}.\n\
            1. Run it and read the failure. If the tool `debug` is listed, let it run the test and stop at the failure: its \
            snapshot has the frames and their values.\n\
            2. Read the function that fails with `graph` op `context`, and what changed lately with op `diff`.\n\
            3. Decide whether the test or the code is wrong, and say why, before you change anything.\n\
            4. Make the smallest change, look at the new diagnostics, run the test again, then the tests that `graph` op \
            `tests` names for what you changed.",
    },
];

pub(super) fn list() -> Vec<Prompt> {
    let prompt = |workflow: &Workflow| {
        let (name, about) = workflow.argument;
        let argument = PromptArgument::new(name).with_description(about).with_required(true);
        Prompt::new(workflow.name, Some(workflow.about), Some(vec![argument])).with_title(workflow.title)
    };
    WORKFLOWS.iter().map(prompt).collect()
}

pub(super) fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let Some(workflow) = WORKFLOWS.iter().find(|workflow| workflow.name == name) else {
        let names = || WORKFLOWS.iter().map(|workflow| workflow.name);
        let hint = match nearest(name, names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(ErrorData::invalid_params(format!("there is no prompt `{name}`; {hint}"), None));
    };
    let (key, about) = workflow.argument;
    let given = arguments.get(key).and_then(|value| value.as_str()).map(str::trim).filter(|text| !text.is_empty());
    let given = given.ok_or_else(|| ErrorData::invalid_params(format!("`{key}` is missing: {about}"), None))?;
    let steps = workflow.steps.replacen("{}", given, 1);
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, steps)]).with_description(workflow.about))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_workflow_says_what_was_given() {
        let arguments = json!({"change": "use {} for `a`"}).as_object().unwrap().clone();
        let prompt = serde_json::to_value(get("refactor", &arguments).unwrap()).unwrap();
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.starts_with("Make this change: use {} for `a`.\n1. "), "{text}");
        assert!(get("refactor", &JsonObject::new()).unwrap_err().message.contains("`change` is missing"));
        assert!(get("refactr", &arguments).unwrap_err().message.contains("did you mean `refactor`?"));
    }

    #[test]
    fn every_workflow_has_a_place_for_what_is_given() {
        assert_eq!(list().len(), 3);
        assert!(WORKFLOWS.iter().all(|workflow| workflow.steps.matches("{}").count() == 1));
    }
}
