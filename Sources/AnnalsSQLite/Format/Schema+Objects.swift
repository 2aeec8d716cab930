import AnnalsLog
import Foundation

/// A table, an index or a trigger of a log, represented by the SQL statement that creates it.
struct SchemaObject: Hashable {
  let sql: String

  init(_ sql: String) { self.sql = sql }

  /// The statement's kind of object and name.
  ///
  /// Only the first words are read, and as bytes. To split whole statements by `isWhitespace` took half of the
  /// processor time of opening a log.
  private var head: (kind: Substring, name: Substring) {
    var rest = sql.utf8[...]
    func word() -> Substring {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
      let word = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "(") }
      rest = rest[word.endIndex...]
      return Substring(word)
    }
    _ = word()
    let kind = word()
    return (kind == "UNIQUE" ? word() : kind, word())
  }
  /// The kind of object: `table`, `index` or `trigger`.
  var kind: String {
    switch head.kind {
    case "TABLE": "table"
    case "INDEX": "index"
    default: "trigger"
    }
  }
  var name: String { String(head.name) }

  /// The statement for a table or an index, with `IF NOT EXISTS` added.
  var sqlIfMissing: String {
    let end = head.kind.endIndex
    return sql[..<end] + " IF NOT EXISTS" + sql[end...]
  }

  /// Returns a statement in a form that is equal on all systems.
  ///
  /// The form has no differences in white space, and no STRICT and ANY, which an old SQLite does not support.
  static func plain(_ sql: String) -> String {
    var text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .replacingOccurrences(of: " ANY NOT NULL", with: " NOT NULL")
    if text.hasSuffix(" STRICT, WITHOUT ROWID") {
      text = text.dropLast(" STRICT, WITHOUT ROWID".count) + " WITHOUT ROWID"
    } else if text.hasSuffix(" STRICT") {
      text = String(text.dropLast(" STRICT".count))
    }
    return text
  }
}

extension Schema {
  /// The ends of the statements that create a table with rowids and a table without rowids.
  private static var ends: (table: String, tree: String) {
    SQLiteVersion.hasStrictTables ? (" STRICT", " STRICT, WITHOUT ROWID") : ("", " WITHOUT ROWID")
  }

  /// Returns the objects that a log of a given format contains, in the order of their creation.
  static func objects(ofFormat format: Int64) -> [SchemaObject] {
    switch format {
    case 1: objectsOfFormat1
    case 2: namesAndEvents + receiptsOfFormat2 + triggers
    case 3: namesAndEvents + receiptsOfFormat2 + triggers + personal
    case 4: namesAndEvents + receiptsOfFormat2 + triggers + personal + compaction
    case 5: namesAndEvents + receipts + triggers + personal + compaction + guards
    case 6: namesAndEvents + receipts + triggers + personal + compaction + guards + typeStretches
    default: names + shortEvents + receipts + triggers + personal + compaction + guards + typeStretches
    }
  }

  /// The objects that are created when they are first used, in a log of any format.
  static var objectsMadeLater: [SchemaObject] { savedLists + [keptStates, commandUses] + drafts }

  /// The tables of saved lists.
  static var savedLists: [SchemaObject] {
    let (table, _) = ends
    return [
      """
      CREATE TABLE cache (
        number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
        generation INTEGER NOT NULL, position INTEGER NOT NULL, root BLOB NOT NULL, checksum INTEGER NOT NULL,
        used INTEGER NOT NULL)\(table)
      """,
      "CREATE INDEX cache_by_name ON cache (name, fingerprint)",
      "CREATE TABLE cache_page ( id INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL)\(table)",
    ].map(SchemaObject.init)
  }

  /// The table of decider states.
  static var keptStates: SchemaObject {
    SchemaObject(
      """
      CREATE TABLE snapshot (
        stream TEXT NOT NULL, decider TEXT NOT NULL, fingerprint TEXT NOT NULL, version INTEGER NOT NULL,
        position INTEGER NOT NULL, state TEXT NOT NULL, checksum INTEGER NOT NULL,
        PRIMARY KEY (stream, decider))\(ends.table)
      """)
  }

  /// The table of the calls for which command ids were used.
  static var commandUses: SchemaObject {
    SchemaObject(
      """
      CREATE TABLE command_use (
        id TEXT PRIMARY KEY, call TEXT NOT NULL, digest TEXT, checksum INTEGER NOT NULL)\(ends.tree)
      """)
  }

  /// The tables of drafts.
  static var drafts: [SchemaObject] {
    [
      """
      CREATE TABLE draft (
        name TEXT PRIMARY KEY, id TEXT NOT NULL, edition INTEGER NOT NULL, last INTEGER NOT NULL,
        changed INTEGER NOT NULL)\(ends.tree)
      """,
      """
      CREATE TABLE draft_command (
        draft TEXT NOT NULL, number INTEGER NOT NULL, place INTEGER NOT NULL, subjects TEXT NOT NULL, text TEXT,
        checksum INTEGER NOT NULL, PRIMARY KEY (draft, number))\(ends.tree)
      """,
    ].map(SchemaObject.init)
  }

  /// The tables of names, events and tags, for formats 2 to 6.
  static var namesAndEvents: [SchemaObject] {
    names
      + [
        """
        CREATE TABLE event (
          position INTEGER PRIMARY KEY AUTOINCREMENT, "transaction" INTEGER NOT NULL, stream INTEGER NOT NULL,
          version INTEGER NOT NULL, type INTEGER NOT NULL, schema INTEGER NOT NULL, source INTEGER NOT NULL,
          id TEXT NOT NULL, time INTEGER NOT NULL, tags TEXT NOT NULL, payload TEXT, metadata TEXT NOT NULL,
          checksum INTEGER NOT NULL, UNIQUE (stream, version), UNIQUE (source, id))\(ends.table)
        """
      ].map(SchemaObject.init)
  }

  /// The tables of events since format 7, in which repeated parts of identities and metadata are stored only once.
  ///
  /// In a strict table, columns with several kinds of values have the type ANY. In other tables ANY would turn the
  /// string "1" into a number, so these columns have no type there.
  static var shortEvents: [SchemaObject] {
    let any = SQLiteVersion.hasStrictTables ? " ANY" : ""
    return [
      """
      CREATE TABLE event (
        position INTEGER PRIMARY KEY AUTOINCREMENT, "transaction" INTEGER NOT NULL, stream INTEGER NOT NULL,
        version INTEGER NOT NULL, type INTEGER NOT NULL, schema INTEGER NOT NULL, source INTEGER NOT NULL,
        id\(any) NOT NULL, time INTEGER NOT NULL, tags TEXT NOT NULL, payload TEXT, metadata\(any) NOT NULL,
        checksum INTEGER NOT NULL, UNIQUE (stream, version))\(ends.table)
      """,
      "CREATE UNIQUE INDEX event_by_id ON event (source, id) WHERE typeof(id) = 'text'",
      """
      CREATE TABLE id_mark (
        source INTEGER NOT NULL, id BLOB NOT NULL, stretch INTEGER NOT NULL, PRIMARY KEY (source, id))\(ends.tree)
      """,
      // Readers cache the keys, so the key of a deleted string must not be reused.
      "CREATE TABLE shared_metadata (key INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE)\(ends.table)",
    ].map(SchemaObject.init)
      + ["id_mark", "shared_metadata"].flatMap { table in
        [
          guarding("\(table)_is_never_changed", "BEFORE UPDATE ON \(table)", "what events refer to does not change"),
          guarding("\(table)_is_never_deleted", "BEFORE DELETE ON \(table)", "what events refer to stays"),
        ]
      }
  }

  /// The tables of names and tags, since format 2.
  private static var names: [SchemaObject] {
    let (table, tree) = ends
    return [
      "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)\(tree)",
      "CREATE TABLE source (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)\(table)",
      "CREATE TABLE stream (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)\(table)",
      "CREATE TABLE type (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)\(table)",
      "CREATE TABLE event_tag (tag TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (tag, position))\(tree)",
    ].map(SchemaObject.init)
  }

  /// The tables of receipts and checkpoints before format 5, which have no checksums.
  static var receiptsOfFormat2: [SchemaObject] {
    let (_, tree) = ends
    return [
      """
      CREATE TABLE command (
        id TEXT PRIMARY KEY, time INTEGER NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,
        "transaction" INTEGER, versions TEXT NOT NULL)\(tree)
      """,
      """
      CREATE TABLE checkpoint (
        name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, position INTEGER NOT NULL, time INTEGER NOT NULL)\(tree)
      """,
    ].map(SchemaObject.init)
  }

  /// The tables of receipts and checkpoints, since format 5.
  static var receipts: [SchemaObject] {
    let (_, tree) = ends
    return [
      """
      CREATE TABLE command (
        id TEXT PRIMARY KEY, time INTEGER NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,
        "transaction" INTEGER, versions TEXT NOT NULL, checksum INTEGER NOT NULL)\(tree)
      """,
      """
      CREATE TABLE checkpoint (
        name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, position INTEGER NOT NULL, time INTEGER NOT NULL,
        checksum INTEGER NOT NULL)\(tree)
      """,
    ].map(SchemaObject.init)
  }

  /// The triggers that prevent other programs from changing events and receipts.
  static var triggers: [SchemaObject] { eventTriggers + commandTriggers }

  static let eventTriggers = [
    guarding("event_is_never_changed", "BEFORE UPDATE ON event", "events do not change"),
    guarding("event_is_never_deleted", "BEFORE DELETE ON event", "events stay"),
  ]

  static let commandTriggers = [
    guarding("command_is_never_changed", "BEFORE UPDATE ON command", "what a command answered does not change"),
    guarding("command_is_never_deleted", "BEFORE DELETE ON command", "commands stay"),
  ]

  /// The triggers that prevent other programs from changing the tables by which events are found.
  static let guards = ["event_tag", "stream", "type", "source"].flatMap { table in
    [
      guarding("\(table)_is_never_changed", "BEFORE UPDATE ON \(table)", "what events are found by does not change"),
      guarding("\(table)_is_never_deleted", "BEFORE DELETE ON \(table)", "what events are found by stays"),
    ]
  }

  private static func guarding(_ name: String, _ when: String, _ sentence: String) -> SchemaObject {
    SchemaObject("CREATE TRIGGER \(name) \(when) BEGIN SELECT RAISE(ABORT, '\(sentence)'); END")
  }

  /// The tables of personal values and erasures, since format 3.
  static var personal: [SchemaObject] {
    let (table, tree) = ends
    return [
      """
      CREATE TABLE personal (
        position INTEGER NOT NULL, place INTEGER NOT NULL, subject TEXT NOT NULL, object TEXT,
        checksum INTEGER NOT NULL, PRIMARY KEY (position, place))\(tree)
      """,
      "CREATE INDEX personal_by_subject ON personal (subject)",
      """
      CREATE TABLE erasure (
        number INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, position INTEGER NOT NULL,
        time INTEGER NOT NULL, fields INTEGER NOT NULL, complete INTEGER NOT NULL)\(table)
      """,
      "CREATE INDEX erasure_by_subject ON erasure (subject, position)",
    ].map(SchemaObject.init) + [
      guarding("personal_is_never_changed", "BEFORE UPDATE ON personal", "what events say does not change"),
      guarding("erasure_is_never_deleted", "BEFORE DELETE ON erasure", "what was erased stays erased"),
    ]
  }

  /// The tables of compactions and compacted events, since format 4.
  static var compaction: [SchemaObject] {
    let (table, _) = ends
    return [
      """
      CREATE TABLE compaction (
        number INTEGER PRIMARY KEY AUTOINCREMENT, position INTEGER NOT NULL, "transaction" INTEGER NOT NULL,
        time INTEGER NOT NULL, cut INTEGER NOT NULL, replaced INTEGER NOT NULL, identities INTEGER NOT NULL,
        complete INTEGER NOT NULL)\(table)
      """,
      "CREATE TABLE gap (first INTEGER PRIMARY KEY, last INTEGER NOT NULL)\(table)",
      "CREATE TABLE cut_event (identity INTEGER PRIMARY KEY, position INTEGER NOT NULL)\(table)",
      "CREATE TABLE cut_stream (stream INTEGER PRIMARY KEY, version INTEGER NOT NULL)\(table)",
    ].map(SchemaObject.init) + [
      guarding(
        "compaction_is_never_deleted", "BEFORE DELETE ON compaction", "what was compacted stays compacted"),
      guarding("cut_event_is_never_deleted", "BEFORE DELETE ON cut_event", "identities that were given stay given"),
    ]
  }

  /// The table that records which stretches of 64 positions contain events of a type, since format 6.
  static var typeStretches: [SchemaObject] {
    [
      SchemaObject(
        """
        CREATE TABLE type_stretch (
          type INTEGER NOT NULL, stretch INTEGER NOT NULL, PRIMARY KEY (type, stretch))\(ends.tree)
        """),
      guarding(
        "type_stretch_is_never_changed", "BEFORE UPDATE ON type_stretch", "what events are found by does not change"),
      guarding("type_stretch_is_never_deleted", "BEFORE DELETE ON type_stretch", "what events are found by stays"),
    ]
  }

  /// The objects of format 1, which logs had before November 2026.
  private static var objectsOfFormat1: [SchemaObject] {
    [
      "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE source (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
      "CREATE TABLE stream (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL)",
      "CREATE TABLE type (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
      """
      CREATE TABLE event (
        position INTEGER PRIMARY KEY AUTOINCREMENT, "transaction" INTEGER NOT NULL, stream INTEGER NOT NULL,
        version INTEGER NOT NULL, type INTEGER NOT NULL, schema INTEGER NOT NULL, source INTEGER NOT NULL,
        id TEXT NOT NULL, time INTEGER NOT NULL, tags TEXT NOT NULL, payload TEXT, metadata TEXT NOT NULL,
        checksum INTEGER NOT NULL, UNIQUE (stream, version), UNIQUE (source, id))
      """,
      """
      CREATE TABLE event_tag (tag TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (tag, position)) WITHOUT ROWID
      """,
    ].map(SchemaObject.init) + eventTriggers
  }
}
