import Foundation

/// The folder with the indexes of long logs, in the user's caches.
///
/// An index only saves time. So no problem with the folder is an error.
struct IndexFolder {
  let path: String

  /// Finds the folder by the environment's variables, or returns `nil` without a home folder.
  init?(_ environment: [String: String]) {
    func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    #if canImport(Darwin)
      let own = "/Library/Caches"
    #else
      let own = "/.cache"
    #endif
    guard let caches = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ $0 + own }) else { return nil }
    path = caches + "/annals"
  }

  /// The names of a log's indexes begin with the log's key.
  private func names(of log: UInt64? = nil) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return all.filter { $0.hasSuffix(Self.ending) && $0.hasPrefix(log.map(Self.text) ?? "") }.sorted()
  }

  private static let ending = ".index"
  private static func text(_ key: UInt64) -> String {
    let digits = String(key, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private func file(_ log: UInt64, _ shape: UInt64) -> String {
    "\(path)/\(Self.text(log))-\(Self.text(shape))\(Self.ending)"
  }

  /// Returns the bytes of an index, or `nil` if the folder has none.
  func read(log: UInt64, shape: UInt64) -> Data? {
    try? Data(contentsOf: URL(fileURLWithPath: file(log, shape)), options: .mappedIfSafe)
  }

  /// Writes an index, which other processes see completely or not at all.
  func write(_ bytes: Data, log: UInt64, shape: UInt64) {
    let files = FileManager.default
    try? files.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    removeOld()
    let target = file(log, shape)
    let part = target + "-" + UUID().uuidString
    defer { try? files.removeItem(atPath: part) }
    // The file gets its permissions before it gets its bytes.
    guard files.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: part)
    else { return }
    defer { try? handle.close() }
    guard (try? handle.write(contentsOf: bytes)) != nil else { return }
    _ = Platform.put(part, at: target, replacing: true)
  }

  /// Deletes the indexes that were written first, and the parts of indexes that a process left when it was killed.
  private func removeOld() {
    func age(_ name: String) -> Double {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
      return -((attributes?[.modificationDate] as? Date)?.timeIntervalSinceNow ?? 0)
    }
    let all = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { ($0, age($0)) }
    let whole = all.filter { $0.0.hasSuffix(Self.ending) }.sorted { $0.1 < $1.1 }
    let parts = all.filter { $0.0.contains(Self.ending + "-") && $0.1 > 3_600 }
    for (name, _) in whole.dropFirst(Self.limit - 1) + parts { remove(name) }
  }

  /// The maximum number of indexes.
  private static var limit: Int { 16 }

  private func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path + "/" + name) }

  /// Deletes the indexes of a log.
  func remove(log: UInt64) { names(of: log).forEach(remove) }

  /// The size in bytes of a log's indexes.
  func size(log: UInt64) -> Int { names(of: log).reduce(0) { $0 + (Platform.file(path + "/" + $1)?.size ?? 0) } }
}
