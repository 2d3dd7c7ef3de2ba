; `import static a.B.*`, `import a.b.*`; `import static a.B.m`, `import a.b.C`.

(import_declaration (_) @source (asterisk) @all) @import
(import_declaration [(identifier) (scoped_identifier)] @source (#set! path)) @import
