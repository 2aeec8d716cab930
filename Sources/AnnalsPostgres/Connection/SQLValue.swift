#if Postgres
  /// A parameter of an SQL statement, in PostgreSQL's binary format.
  enum SQLValue: Sendable {
    case null
    case bool(Bool)
    case text(String)
    case int(Int)
    case texts([String?])
    case ints([Int])

    /// The object id of the value's type in `pg_type`.
    var type: UInt32 {
      switch self {
      case .bool: 16
      case .null, .text: 25
      case .int: 20
      case .texts: 1_009
      case .ints: 1_016
      }
    }

    /// Appends the value's bytes to a message.
    ///
    /// - Returns: False for null, which has no bytes.
    func write(to message: inout [UInt8]) -> Bool {
      switch self {
      case .null: return false
      case .bool(let value): message.append(value ? 1 : 0)
      case .text(let text): message.append(contentsOf: text.utf8)
      case .int(let number): message.append(big: Int64(number))
      case .texts(let texts):
        message.append(arrayOf: 25, count: texts.count, hasNull: texts.contains { $0 == nil })
        for text in texts {
          guard let text else {
            message.append(big: Int32(-1))
            continue
          }
          message.append(big: Int32(text.utf8.count))
          message.append(contentsOf: text.utf8)
        }
      case .ints(let numbers):
        message.append(arrayOf: 20, count: numbers.count, hasNull: false)
        for number in numbers {
          message.append(big: Int32(8))
          message.append(big: Int64(number))
        }
      }
      return true
    }
  }

  extension [UInt8] {
    fileprivate mutating func append(big number: some FixedWidthInteger) {
      Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the header of a one-dimensional array, in the format of `array_recv`.
    fileprivate mutating func append(arrayOf type: UInt32, count: Int, hasNull: Bool) {
      append(big: UInt32(count == 0 ? 0 : 1))
      append(big: UInt32(hasNull ? 1 : 0))
      append(big: type)
      if count == 0 { return }
      append(big: UInt32(count))
      append(big: UInt32(1))
    }
  }

  /// An SQL statement and its parameters.
  struct SQLStatement: Sendable {
    let text: String
    let values: [SQLValue]
    /// The name of the prepared statement on a connection, or `nil` if the server parses the statement every time.
    ///
    /// A name always identifies the same statement. Otherwise, if several clients share the server's connections, a
    /// client could execute another client's prepared statement.
    let name: String?
    /// True if the previous statements of the message are a transaction that is committed before this statement.
    let isSeparate: Bool

    init(_ text: String, _ values: [SQLValue] = [], name: String? = nil, isSeparate: Bool = false) {
      self.text = text
      self.values = values
      self.name = name
      self.isSeparate = isSeparate
    }

    /// Returns a name for a prepared statement, which is derived from the SQL, because the same name must always mean
    /// the same statement.
    static func name(of text: String) -> String {
      // FNV-1a.
      let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
      return "annals_" + String(hash, radix: 36)
    }
  }
#endif
