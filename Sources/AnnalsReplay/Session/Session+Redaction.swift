import Annals

extension Session {
  /// The redaction that `--redact` names.
  ///
  /// - Parameter isForPage: True for a page, which always hides the values that an app's tool names.
  /// - Returns: The redaction.
  /// - Throws: ``ReplayError`` for an empty name, or for `app` without values of an app.
  func redaction(isForPage: Bool = false) throws -> Redaction {
    // A subject's name may contain a comma, so both readings are hidden: the word and its parts.
    let words = arguments.all("--redact").flatMap { word in
      word.contains(",") ? [word] + word.split(separator: ",").map(String.init) : [word]
    }
    if let word = words.first(where: { word in word == "subject:" || word.allSatisfy { "$.,".contains($0) } }) {
      throw ReplayError.usage("--redact: expected a field, a path or subject:NAME, found \"\(word)\"")
    }
    let hasApp = words.contains("app") || isForPage
    if words.contains("app"), catalog.redactedFields.isEmpty, catalog.redactedTypes.isEmpty {
      throw ReplayError.usage("--redact app: \(tool) has no values of an app to hide. Name a field or a path instead")
    }
    let fields = hasApp ? catalog.redactedFields.sorted() : []
    return Redaction(
      words + fields, types: hasApp ? catalog.redactedTypes : [], isWithoutPersonal: words.contains("personal"))
  }

  /// Collects the values that a redaction hides in some events.
  func leaks(
    of redaction: Redaction, in store: any EventStore, after from: Position, through to: Position
  ) throws -> RedactionLeaks {
    var leaks = RedactionLeaks()
    if redaction.isEmpty { return leaks }
    try forEachEvent(of: store, after: from, through: to) { leaks.collect(from: $0, redaction.apply(to: $0)) }
    return leaks
  }
}
