public import Annals

extension StreamName: SourcePrintable {
  /// A string literal with the stream's name.
  public var swiftSource: String { text.swiftSource }
}

extension EventTag: SourcePrintable {
  /// A string literal with the tag.
  public var swiftSource: String { text.swiftSource }
}

extension Position: SourcePrintable {
  /// An integer literal with the position's number.
  public var swiftSource: String { "\(rawValue)" }
}

extension EventID: SourcePrintable {
  /// A call of the initializer with the source and the id.
  public var swiftSource: String { "EventID(source: \(source.swiftSource), id: \(id.swiftSource))" }
}

extension ExpectedVersion: SourcePrintable {
  /// The enum case, with the version if there is one.
  public var swiftSource: String {
    switch self {
    case .any: ".any"
    case .exact(let version): ".exact(\(version))"
    case .exists: ".exists"
    case .doesNotExist: ".doesNotExist"
    }
  }
}

extension NewEvent: SourcePrintable {
  /// A call of the initializer, without the time, the metadata, and arguments that equal their defaults.
  public var swiftSource: String {
    var parts = ["type: \(type.swiftSource)"]
    if schema != 1 { parts.append("schema: \(schema)") }
    parts.append("payload: \(payload.map(\.swiftSource) ?? "nil")")
    if !tags.isEmpty { parts.append("tags: [\(tags.sorted().map(\.swiftSource).joined(separator: ", "))]") }
    if let id { parts.append("id: \(id.swiftSource)") }
    return "NewEvent(\(parts.joined(separator: ", ")))"
  }
}

extension EventQuery: SourcePrintable {
  /// The query as Swift source code: `EventQuery.all`, or a call of the initializer with the query's alternatives.
  public var swiftSource: String {
    guard let alternatives else { return "EventQuery.all" }
    return "EventQuery([\(alternatives.map(\.source).joined(separator: ", "))])"
  }
}

extension EventQuery.Alternative {
  fileprivate var source: String {
    let parts = [
      ("streams", streams.map(\.swiftSource)), ("types", types.map(\.swiftSource)), ("tags", tags.map(\.swiftSource)),
    ]
    let written = parts.filter { !$0.1.isEmpty }.map { "\($0.0): [\($0.1.sorted().joined(separator: ", "))]" }
    return ".init(\(written.joined(separator: ", ")))"
  }
}

extension Append: SourcePrintable {
  /// A call of the initializer, without expectations or conditions if they are empty.
  public var swiftSource: String {
    let entries = entries.map { ".init(stream: \($0.stream.swiftSource), event: \($0.event.swiftSource))" }
    var parts = ["[\(entries.joined(separator: ", "))]"]
    if !expectations.isEmpty {
      let pairs = expectations.sorted { $0.key < $1.key }.map { stream, expected in
        "\(stream.swiftSource): \(expected.swiftSource)"
      }
      parts.append("expectations: [\(pairs.joined(separator: ", "))]")
    }
    if !conditions.isEmpty {
      let written = conditions.map { ".init(noneMatching: \($0.noneMatching.swiftSource), after: \($0.after))" }
      parts.append("conditions: [\(written.joined(separator: ", "))]")
    }
    return "Append(\(parts.joined(separator: ", ")))"
  }
}
