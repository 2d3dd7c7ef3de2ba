(import module: (module) @source alias: (module) @local) @import (#set! module)
(import module: (module) @source @all) @import
