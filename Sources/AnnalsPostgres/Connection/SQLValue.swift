#if Postgres
  /// A value that is sent with a statement, in PostgreSQL's binary form.
  enum SQLValue: Sendable {
    case null
    case bool(Bool)
    case text(String)
    case int(Int)
    case texts([String?])
    case ints([Int])

    /// The number of the type in `pg_type`.
    var type: UInt32 {
      switch self {
      case .bool: 16
      case .null, .text: 25
      case .int: 20
      case .texts: 1_009
      case .ints: 1_016
      }
    }

    /// The bytes; nil for null.
    var bytes: [UInt8]? {
      switch self {
      case .null: nil
      case .bool(let value): [value ? 1 : 0]
      case .text(let text): Array(text.utf8)
      case .int(let number): Self.big(UInt64(bitPattern: Int64(number)))
      case .texts(let texts): Self.array(of: 25, texts.map { $0.map { Array($0.utf8) } })
      case .ints(let numbers): Self.array(of: 20, numbers.map { Self.big(UInt64(bitPattern: Int64($0))) })
      }
    }

    private static func big<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// An array of one dimension, as `array_recv` reads it.
    private static func array(of type: UInt32, _ elements: [[UInt8]?]) -> [UInt8] {
      if elements.isEmpty { return big(UInt32(0)) + big(UInt32(0)) + big(type) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
      bytes += big(UInt32(1))
      bytes += big(UInt32(elements.contains { $0 == nil } ? 1 : 0))
      bytes += big(type)
      bytes += big(UInt32(elements.count))
      bytes += big(UInt32(1))
      for element in elements {
        bytes += big(Int32(element?.count ?? -1))
        if let element { bytes += element }
      }
      return bytes
    }
  }

  /// A statement and its values.
  struct SQLStatement: Sendable {
    let text: String
    let values: [SQLValue]

    init(_ text: String, _ values: [SQLValue] = []) { (self.text, self.values) = (text, values) }
  }
#endif
