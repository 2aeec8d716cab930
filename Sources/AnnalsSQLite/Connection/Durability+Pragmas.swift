import AnnalsLog

extension Durability {
  /// SQLite's settings for this level (sqlite.org/pragma.html, "synchronous" and "fullfsync").
  var pragmas: String {
    switch self {
    case .process: "PRAGMA synchronous = NORMAL; PRAGMA fullfsync = OFF; PRAGMA checkpoint_fullfsync = OFF;"
    case .system: "PRAGMA synchronous = FULL; PRAGMA fullfsync = OFF; PRAGMA checkpoint_fullfsync = ON;"
    case .power: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
    }
  }
}
