import AnnalsLog

extension EventQuery {
  /// The canonical string of the query, which doesn't depend on the order of the query's parts.
  ///
  ///     [{"tags":["seat:7"]},{"streams":["Hall"],"types":["HallClosed"]}]
  var canonicalText: String {
    guard let alternatives else { return "all events" }
    let texts = Set(alternatives.map { ExactString($0.canonicalText) }).sorted().map(\.text)
    return "[" + texts.joined(separator: ",") + "]"
  }
}

extension EventQuery.Alternative {
  fileprivate var canonicalText: String {
    let parts = [
      Self.text("categories", Array(categories)), Self.text("streams", streams.map(\.text)),
      Self.text("tags", tags.map(\.text)), Self.text("types", Array(types)),
    ]
    return "{" + parts.compactMap(\.self).joined(separator: ",") + "}"
  }

  private static func text(_ name: String, _ words: [String]) -> String? {
    if words.isEmpty { return nil }
    let sorted = words.map(ExactString.init).sorted().map { JSONValue.quoted($0.text) }
    return "\"\(name)\":[" + sorted.joined(separator: ",") + "]"
  }
}
