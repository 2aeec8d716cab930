import AnnalsLog

/// The keys of the event types that a reader wants, and the keys of all other types.
struct TypeKeys {
  /// The keys of the wanted types.
  private(set) var wanted: [Int64] = []
  private var isWanted: [Int64: Bool] = [:]
  /// True if all types of the log were checked, instead of only some names.
  private var knowsAll = true
  /// The largest key that was checked.
  private var last: Int64 = .min

  /// True if all checked types are wanted.
  var areAll: Bool { wanted.count == isWanted.count }

  /// Returns the keys of the types that a filter accepts.
  ///
  /// The filter is called once per type of the log.
  static func of(_ choice: EventTypeFilter, _ connection: SQLiteConnection) throws -> TypeKeys {
    let id = ObjectIdentifier(choice)
    var keys = connection.typeKeys[id]?.keys ?? TypeKeys()
    let last = try connection.int("SELECT max(key) FROM type") ?? .min
    if last == keys.last { return keys }
    try keys.readOn(connection, where: choice.contains)
    if connection.typeKeys.count >= 64 { connection.typeKeys = [:] }
    // The choice is stored with its keys, because the keys are found by its address. As long as the choice is stored,
    // no other choice gets this address.
    connection.typeKeys[id] = (choice, keys)
    return keys
  }

  private init() {}

  /// Creates the keys for some type names, without information about other types.
  init(ofNames names: [String], _ connection: SQLiteConnection) throws {
    knowsAll = false
    let find = try connection.statement("SELECT key FROM type WHERE name = ?1")
    for name in names {
      try find.bind(1, name)
      if let key = try find.firstInt(), isWanted.updateValue(true, forKey: key) == nil { wanted.append(key) }
    }
  }

  private mutating func readOn(_ connection: SQLiteConnection, where isWanted: (String) -> Bool) throws {
    let find = try connection.statement("SELECT key, name FROM type WHERE key > ?1 OR ?1 = \(Int64.min) ORDER BY key")
    try find.bind(1, last)
    var found: [(key: Int64, name: String)] = []
    // The closure is code of the app, and might read the log itself.
    try find.run { found.append(($0.int(0), $0.text(1) ?? "")) }
    for (key, name) in found {
      let answer = isWanted(name)
      if self.isWanted.updateValue(answer, forKey: key) == nil, answer { wanted.append(key) }
      last = key
    }
  }

  /// Returns whether an event's type is wanted, or `nil` if no type of the log has the key.
  @inline(__always)
  func areWanted(_ key: Int64) -> Bool? { isWanted[key] ?? (knowsAll ? nil : false) }
}
