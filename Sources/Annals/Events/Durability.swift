/// What an acknowledged append survives, on top of the levels before it.
///
/// `Docs/Durability.md` says what an SQLite file does for each on each platform, and `Docs/PostgreSQL.md` what a server
/// does.
public enum Durability: Int, Comparable, Sendable, CaseIterable, CustomStringConvertible {
  /// The end of the process, however it ends.
  ///
  /// A crash of the system or a loss of power may take the last appends; what is left is a whole log that ends sooner.
  case process
  /// A crash of the system as well.
  case system
  /// A loss of power as well, as far as the disk keeps what it says it has written.
  case power

  /// Tells whether one level survives less than another.
  public static func < (left: Durability, right: Durability) -> Bool { left.rawValue < right.rawValue }

  /// The level in words.
  public var description: String {
    switch self {
    case .process: "survives the end of the process"
    case .system: "survives a crash of the system"
    case .power: "survives a loss of power"
    }
  }
}
