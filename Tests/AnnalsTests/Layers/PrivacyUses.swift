#if os(macOS) || os(Linux)
  #if os(Linux)
    import Foundation
    import Glibc

    /// Uses of declarations for which Apple requires a reason, so that a test can find them in this file's object file.
    ///
    /// The function is compiled, but not called.
    func useDeclarationsWithRequiredReasons() throws {
      var status = stat()
      _ = stat("/", &status) + fstat(0, &status) + lstat("/", &status) + fstatat(0, "/", &status, 0)
      var volume = statvfs()
      _ = statvfs("/", &volume) + fstatvfs(0, &volume)
      _ = ProcessInfo.processInfo.systemUptime
      let keys: [FileAttributeKey] = [.systemFreeSize, .systemSize, .creationDate, .modificationDate]
      let resources: Set<URLResourceKey> = [
        .creationDateKey, .contentModificationDateKey, .volumeAvailableCapacityKey, .volumeTotalCapacityKey,
      ]
      let values = try URL(fileURLWithPath: "/").resourceValues(forKeys: resources)
      UserDefaults.standard.set("\(keys) \(String(describing: values.contentModificationDate))", forKey: "found")
    }
  #endif
#endif
