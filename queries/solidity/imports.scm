(import_directive source: (string) @source @all) @import
