//! The grammars that are compiled in: one row each, named by the `grammar` key of a `language.toml`.

use tree_sitter::Language as Grammar;

/// The compiled-in grammar with this name.
pub(crate) fn grammar(name: &str) -> Option<Grammar> {
    ROWS.iter().find(|(row, _)| *row == name).map(|(_, language)| (*language).into())
}

/// Names of all compiled-in grammars, for error messages.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, _)| *name)
}

const ROWS: &[(&str, tree_sitter_language::LanguageFn)] = &[
    ("bash", tree_sitter_bash::LANGUAGE),
    ("c", tree_sitter_c::LANGUAGE),
    ("cmake", tree_sitter_cmake::LANGUAGE),
    ("cpp", tree_sitter_cpp::LANGUAGE),
    ("csharp", tree_sitter_c_sharp::LANGUAGE),
    ("css", tree_sitter_css::LANGUAGE),
    ("dart", tree_sitter_dart_orchard::LANGUAGE),
    ("elixir", tree_sitter_elixir::LANGUAGE),
    ("erlang", tree_sitter_erlang::LANGUAGE),
    ("gleam", tree_sitter_gleam::LANGUAGE),
    ("go", tree_sitter_go::LANGUAGE),
    ("graphql", tree_sitter_graphql::LANGUAGE),
    ("haskell", tree_sitter_haskell::LANGUAGE),
    ("hcl", tree_sitter_hcl::LANGUAGE),
    ("html", tree_sitter_html::LANGUAGE),
    ("java", tree_sitter_java::LANGUAGE),
    ("javascript", tree_sitter_javascript::LANGUAGE),
    ("json", tree_sitter_json::LANGUAGE),
    ("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    ("lua", tree_sitter_lua::LANGUAGE),
    ("make", tree_sitter_make::LANGUAGE),
    ("markdown", tree_sitter_md::LANGUAGE),
    ("nix", tree_sitter_nix::LANGUAGE),
    ("php", tree_sitter_php::LANGUAGE_PHP),
    ("powershell", tree_sitter_powershell::LANGUAGE),
    ("proto", tree_sitter_proto::LANGUAGE),
    ("python", tree_sitter_python::LANGUAGE),
    ("r", tree_sitter_r::LANGUAGE),
    ("ruby", tree_sitter_ruby::LANGUAGE),
    ("rust", tree_sitter_rust::LANGUAGE),
    ("scala", tree_sitter_scala::LANGUAGE),
    ("solidity", tree_sitter_solidity::LANGUAGE),
    ("sql", tree_sitter_sequel::LANGUAGE),
    ("starlark", tree_sitter_starlark::LANGUAGE),
    ("swift", tree_sitter_swift::LANGUAGE),
    ("toml", tree_sitter_toml_ng::LANGUAGE),
    ("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    ("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    ("xml", tree_sitter_xml::LANGUAGE_XML),
    ("yaml", tree_sitter_yaml::LANGUAGE),
    ("zig", tree_sitter_zig::LANGUAGE),
];
