import Foundation

/// True if `ANNALS_EXAMPLES` asks for few examples, as `.ci/quick` does: then nothing has to be reached by them.
let isQuickLook = ProcessInfo.processInfo.environment["ANNALS_EXAMPLES"].flatMap { Int($0) } ?? .max < 60
