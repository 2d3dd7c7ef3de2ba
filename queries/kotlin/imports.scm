; `import a.b.*`, `import a.b.C as D`, `import a.b.C`.

(import (qualified_identifier) @source "*" @all) @import
(import (qualified_identifier) @source "as" (identifier) @local (#set! path)) @import
(import (qualified_identifier) @source (#set! path)) @import
(file_annotation) @ignore
