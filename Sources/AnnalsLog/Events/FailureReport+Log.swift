#if canImport(os)
  import os
#else
  import Foundation
#endif

extension FailureReport {
  /// Writes the message to the unified log on Apple's systems, and as one line to standard error on other systems.
  ///
  /// In the unified log, the subsystem is `Annals`, and the category is the report's ``kind``. The description of
  /// ``error`` is added as a private value, which only a debugger shows.
  public func log() {
    #if canImport(os)
      let logger = Logger(subsystem: "Annals", category: kind.rawValue)
      logger.error("\(message, privacy: .public) [\(described(error), privacy: .private)]")
    #else
      FileHandle.standardError.write(Data("Annals: \(message)\n".utf8))
    #endif
  }
}
