(import module: (module) @source alias: (identifier) @local) @import (#set! module)
(import module: (module) @source) @import (#set! path)
