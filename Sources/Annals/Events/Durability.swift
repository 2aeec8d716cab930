/// The kinds of failure that an acknowledged append survives.
///
/// Every level includes the levels before it. `Docs/Durability.md` describes the effect of the levels on an SQLite file
/// on every platform, and `Docs/PostgreSQL.md` describes their effect on a server.
public enum Durability: Int, Comparable, Sendable, CaseIterable, CustomStringConvertible {
  /// An exit or a crash of the process.
  ///
  /// A crash of the system or a power loss may remove the last appends. The remaining log is intact.
  case process
  /// A crash of the process or of the operating system.
  case system
  /// A crash or a power loss, as long as the disk keeps the data that it reports as written.
  case power

  /// Returns whether one level survives fewer failures than another.
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
