import Annals
import AnnalsLog

extension Session {
  /// The words of `--redact`.
  ///
  /// A subject's name may contain a comma, so a word with commas has two readings: the word and its parts.
  private var redactedWords: [String] {
    arguments.all("--redact").flatMap { word in
      word.contains(",") ? [word] + word.split(separator: ",").map(String.init) : [word]
    }
  }

  /// The redaction that `--redact` names.
  ///
  /// - Parameter isForPage: True for a page, which always hides the values that an app's tool names.
  /// - Returns: The redaction.
  /// - Throws: ``ReplayError`` for an empty name, or for `app` without values of an app.
  func redaction(isForPage: Bool = false) throws -> Redaction {
    let words = redactedWords
    if let word = words.first(where: { word in word == "subject:" || word.allSatisfy { "$.,".contains($0) } }) {
      throw ReplayError.usage("--redact: expected a field, a path or subject:NAME, found \"\(word)\"")
    }
    let hasApp = words.contains("app") || isForPage
    if words.contains("app"), catalog.redactedFields.isEmpty, catalog.redactedTypes.isEmpty {
      throw ReplayError.usage("--redact app: \(tool) has no values of an app to hide. Name a field or a path instead")
    }
    let fields = hasApp ? catalog.redactedFields.sorted() : []
    var redaction = Redaction(
      words.filter { $0 != "payloads" } + fields, types: hasApp ? catalog.redactedTypes : [],
      isWithoutPersonal: words.contains("personal"))
    redaction.isWithoutPayloads = words.contains("payloads")
    return redaction
  }

  /// Collects the values that a redaction hides in some events.
  ///
  /// A word of `--redact` that hides no value of these events is probably misspelled, so it's an error.
  ///
  /// - Parameters:
  ///   - redaction: The redaction.
  ///   - store: The log.
  ///   - from: The position before the events.
  ///   - to: The position of the last event.
  ///   - isForPage: True for a page, where a word can also be a field of a row and is only reported.
  /// - Returns: The values.
  /// - Throws: ``ReplayError`` for a word that hides nothing, also for `personal` on a page, and the errors of reading.
  func leaks(
    of redaction: Redaction, in store: any EventStore, after from: Position, through to: Position,
    isForPage: Bool = false
  ) throws -> RedactionLeaks {
    var leaks = RedactionLeaks()
    // A row may show the values of a payload that is left out.
    var redaction = redaction
    redaction.isWithoutPayloads = false
    if redaction.isEmpty { return leaks }
    let others: Set = [
      "app", "payloads", "tags", "id", "stream", "author", "command", "correlation", "causation",
    ]
    // A word with commas is used if the whole word or the part hides a value.
    var unused = arguments.all("--redact").flatMap { given in
      given.split(separator: ",").map(String.init).filter { !others.contains($0) }.map {
        (word: $0, redaction: Redaction([given, $0], isWithoutPersonal: $0 == "personal"))
      }
    }
    var names: Set<String> = []
    try forEachEvent(of: store, after: from, through: to) { event in
      leaks.collect(from: event, redaction.apply(to: event))
      if unused.isEmpty { return }
      unused.removeAll { $0.redaction.apply(to: event) != event }
      event.payload.map { Self.addNames(in: $0, to: &names) }
      for (name, _) in event.metadata.sorted { names.insert(name) }
    }
    // A range without personal values can be in a log that has some, or had some before their erasure.
    if let index = unused.firstIndex(where: { $0.word == "personal" }), !names.isEmpty {
      let counts = try store.statistics()
      if counts.personalFields + counts.erasures == 0 {
        throw ReplayError.usage(
          "--redact personal: the log has no personal fields, so nothing would be hidden. Name a field instead, "
            + "for example --redact title")
      }
      unused.remove(at: index)
    }
    // An empty range has no values at all.
    guard let word = unused.first?.word, !names.isEmpty else { return leaks }
    let nearest = Nearest.name(to: word, among: names.sorted()).map { "; did you mean \($0)?" } ?? ""
    let sentence = "--redact \(word): no event has such a value\(nearest)"
    if !isForPage { throw ReplayError.usage(sentence) }
    say(Text.safe(sentence))
    return leaks
  }

  /// Adds the names of the members of JSON, and the subjects of personal values.
  private static func addNames(in json: String, to names: inout Set<String>) {
    func add(_ value: JSONValue, _ names: inout Set<String>) {
      if let subject = value["$personal"]?.string { names.insert("subject:\(subject)") }
      switch value {
      case .array(let elements): for element in elements { add(element, &names) }
      case .object(let members):
        for member in members {
          names.insert(member.name)
          add(member.value, &names)
        }
      default: break
      }
    }
    if let value = try? JSONValue(parsing: json) { add(value, &names) }
  }
}
