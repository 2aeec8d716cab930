import AnnalsLog
import Synchronization

/// A comparison of a log's tables, indexes and triggers with the objects that Annals creates.
///
/// The comparison is necessary because a file can have any author. If a table were a view, or had a computed column or
/// a trigger, the author's code would run on every read or write of the log. An index with a different order would
/// return different results.
struct SchemaCheck {
  /// An object in the log's schema.
  private struct Found {
    let kind: String
    let name: String
    let table: String
    let sql: String
  }

  /// Differences that make the log unusable.
  private(set) var faults: [String] = []
  /// Harmless differences, which can't cause wrong results: missing triggers, and tables of other programs.
  private(set) var oddities: [String] = []

  /// Checks a log of a given format, through a connection.
  init(_ connection: SQLiteConnection, format: Int64) throws {
    var found: [Found] = []
    try connection.statement("SELECT type, name, tbl_name, sql FROM sqlite_schema").run { row in
      found.append(
        Found(
          kind: row.text(0) ?? "", name: row.text(1) ?? "", table: row.text(2) ?? "", sql: row.text(3) ?? ""))
    }
    let own = SchemaNames.of(format: format)
    for object in found {
      if let wanted = own.named(object.name) {
        check(object, wanted)
      } else if object.name == "sqlite_sequence" {
        if object.kind != "table" || object.sql != "CREATE TABLE sqlite_sequence(name,seq)" {
          faults.append("sqlite_sequence isn't SQLite's own table")
        }
      } else if object.name.hasPrefix("sqlite_autoindex_"), object.sql.isEmpty {
        continue
      } else if own.named(object.table) != nil {
        faults.append(
          "the \(object.kind) \(JSONValue.quoted(object.name)) on the table \(object.table) doesn't belong to Annals")
      } else if !object.name.hasPrefix("sqlite_stat") {
        oddities.append("the \(object.kind) \(JSONValue.quoted(object.name)) doesn't belong to Annals")
      }
    }
    func isThere(_ name: String) -> Bool { found.contains { $0.name == name } }
    for object in own.needed where !isThere(object.name) {
      let sentence = "the \(object.kind) \(object.name) is missing"
      if object.kind == "trigger" { oddities.append(sentence) } else { faults.append(sentence) }
    }
    if !isThere("sqlite_sequence") { faults.append("the table sqlite_sequence is missing") }
  }

  private mutating func check(_ object: Found, _ wanted: SchemaNames.Named) {
    guard object.kind == wanted.kind else {
      faults.append("expected the \(wanted.kind) \(wanted.name), found the \(object.kind) \(wanted.name)")
      return
    }
    // Usually the statements are identical.
    guard object.sql == wanted.sql || SchemaObject.plain(object.sql) == SchemaObject.plain(wanted.sql) else {
      faults.append(
        "the \(wanted.kind) \(wanted.name) differs from Annals' schema: expected \(SchemaObject.plain(wanted.sql)), "
          + "found " + SchemaObject.plain(String(object.sql.prefix(2_000))))
      return
    }
  }

  /// Throws if the log cannot be used.
  func ensureUsable(_ path: String) throws {
    guard let fault = faults.first else { return }
    throw EventStoreError(
      .corrupt, "\(path): the log is damaged, or another program changed it: \(fault); restore the log from a copy")
  }
}

/// The objects by name that a log of a format can contain.
///
/// They are computed once per format, because logs are opened often, and only for the formats of opened logs.
private struct SchemaNames: Sendable {
  struct Named: Sendable {
    let kind: String
    let name: String
    let sql: String
  }

  let format: Int64
  /// The objects that the log must contain.
  let needed: [Named]
  /// The other objects that the log may contain.
  private let allowed: [Named]

  private init(format: Int64) {
    func named(_ objects: [SchemaObject]) -> [Named] {
      objects.map { Named(kind: $0.kind, name: $0.name, sql: $0.sql) }
    }
    self.format = format
    needed = named(Schema.objects(ofFormat: format))
    allowed = named(Schema.objectsMadeLater)
  }

  /// Returns the object with a name that the log must or may contain.
  ///
  /// It searches three dozen objects, because to make a dictionary of them took longer than to open the log.
  func named(_ name: String) -> Named? {
    needed.first { $0.name == name } ?? allowed.first { $0.name == name }
  }

  private static let known = Mutex<[SchemaNames]>([])

  static func of(format: Int64) -> SchemaNames {
    let format = max(1, min(format, Schema.version))
    return known.withLock { known in
      if let names = known.first(where: { $0.format == format }) { return names }
      let names = SchemaNames(format: format)
      known.append(names)
      return names
    }
  }
}
