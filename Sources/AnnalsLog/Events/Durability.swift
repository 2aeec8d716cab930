/// A durability level, which states the failures that an acknowledged append survives.
///
/// An append also survives the failures of all lower levels. `Docs/Durability.md` describes the effect of the levels on
/// an SQLite file on every platform, and `Docs/PostgreSQLOperations.md` describes their effect on a PostgreSQL server.
public enum Durability: Int, Comparable, Sendable, CaseIterable, CustomStringConvertible {
  /// An append survives an exit or a crash of the process.
  ///
  /// A crash of the system or a power loss may remove the last appends. The remaining log is intact.
  case process
  /// An append survives a crash of the process or of the operating system.
  case system
  /// An append survives crashes and a power loss, if the disk keeps the data that it reports as written.
  case power

  /// Returns whether appends survive fewer failures at the left level than at the right level.
  public static func < (left: Durability, right: Durability) -> Bool { left.rawValue < right.rawValue }

  /// The level in words.
  public var description: String {
    switch self {
    case .process: "survives a process crash"
    case .system: "survives a system crash"
    case .power: "survives a power loss"
    }
  }
}
