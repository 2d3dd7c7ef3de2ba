(import_declaration (identifier) @source @all) @import
