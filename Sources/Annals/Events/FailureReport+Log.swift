#if canImport(os)
  import os
#else
  import Foundation
#endif

extension FailureReport {
  /// Writes the message to the system's log on Apple's systems, and as one line to standard error elsewhere.
  ///
  /// In the system's log, the subsystem is `Annals`, and the category is the report's ``kind``. The error's own
  /// description is added as a private value, which only a debugger shows.
  public func log() {
    #if canImport(os)
      let logger = Logger(subsystem: "Annals", category: kind.rawValue)
      logger.error("\(message, privacy: .public) [\(String(describing: error), privacy: .private)]")
    #else
      FileHandle.standardError.write(Data("Annals: \(message)\n".utf8))
    #endif
  }
}
