//! A case through the house: parsed, extracted and resolved, all in memory.

use std::collections::BTreeMap;
use std::path::Path;

use vise_graph::Rules;
use vise_graph::resolve::resolve;
use vise_graph::source::{ProjectFile, SourceFile};
use vise_graph::{facts::FileFacts, facts_of};
use vise_syntax::Registry;

use super::case::{Case, CaseFile};
use super::fences::Problem;
use super::seen::Seen;

/// The languages, with the rules of those that have any.
pub(crate) struct House {
    registry: Registry,
    /// By the language's name; what is wrong with its queries is said by each case that needs them.
    rules: BTreeMap<String, Result<Option<Rules>, String>>,
}

impl House {
    pub(crate) fn new(registry: Registry) -> House {
        let rules = registry.languages().map(|language| (language.name().to_string(), Rules::compile(language)));
        let rules = rules.collect();
        House { registry, rules }
    }

    /// What is found in a case, and its files in the order of what was found.
    pub(crate) fn see<'c>(&self, case: &'c Case) -> Result<(Seen, Vec<&'c CaseFile>), Problem> {
        let mut files = Vec::new();
        let mut sources = Vec::new();
        let mut project = Vec::new();
        for file in &case.files {
            let problem = |message: String| Problem::new(file.fence.line(), message);
            let text = &file.marked.source;
            let language = self.registry.by_path(Path::new(&file.path));
            let rules = match language.and_then(|language| self.rules.get(language.name())) {
                Some(Ok(rules)) => rules.as_ref(),
                Some(Err(message)) => return Err(problem(message.clone())),
                None => None,
            };
            let (Some(language), Some(rules)) = (language, rules) else {
                if !file.marked.marks.is_empty() {
                    return Err(problem(format!("nothing is extracted from `{}`, so it has no marks", file.path)));
                }
                project.push(ProjectFile { path: file.path.clone(), text: text.clone() });
                continue;
            };
            let facts = facts_of(language, rules, text.as_bytes(), &file.path)
                .map_err(|_| problem("the parser's budget is used up".to_string()))?;
            sources.push(SourceFile { path: file.path.clone(), language, facts });
            files.push(file);
        }
        let resolution = resolve(&sources, &project);
        let facts: Vec<(&str, &FileFacts)> = sources.iter().map(|file| (file.path.as_str(), &file.facts)).collect();
        Ok((Seen::new(&facts, &resolution), files))
    }
}
