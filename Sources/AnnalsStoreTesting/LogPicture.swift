import Annals
import AnnalsLog
import AnnalsTesting

/// Everything that a store returns for a log, as named facts.
///
/// The rules compare the facts from before and after a log is reopened.
struct LogPicture: Equatable {
  struct Fact: Equatable {
    let name: String
    let value: String

    /// Strings are equal only if their Unicode scalars are equal.
    static func == (left: Fact, right: Fact) -> Bool {
      ExactString.exactlyEqual(left.name, right.name) && ExactString.exactlyEqual(left.value, right.value)
    }
  }

  private(set) var facts: [Fact] = []

  /// The command IDs that the contract's rules use.
  static let commands = ["c1", "c2", "c3"]

  /// Collects the facts from a store.
  init(of store: any EventStore) throws {
    try store.read { log in
      add("the head", try log.head())
      let revision = try log.revision()
      add("the number of erasures", revision.erasures)
      add("the number of compactions", revision.compacted.count)
      let events = try log.events(.all, after: 0, through: nil, limit: .max)
      for event in events { try add(event, log) }
      add("the number of events", events.count)
      for stream in Set(events.map(\.stream)).sorted() {
        add("the version of the stream \(stream)", try log.version(of: stream))
      }
      for tag in Self.inOrder(Set(events.flatMap(\.tags)).map(\.text)) {
        let found = try log.events(.tagged(EventTag(tag)), after: 0, through: nil, limit: .max)
        add("the events tagged \(tag)", found.map(\.position))
      }
      for command in Self.commands {
        let receipt = try log.receipt(ofCommand: command)
        add("the receipt of the command \(command)", receipt.map(Self.text) ?? "none")
      }
    }
  }

  private mutating func add(_ event: StoredEvent, _ log: any EventLog) throws {
    func add(_ what: String, _ value: Any) { self.add("the \(what) of event \(event.position)", value) }
    add("stream", event.stream)
    add("version", event.version)
    add("transaction", event.transaction)
    add("type", event.type)
    add("schema", event.schema)
    add("payload", event.payload ?? "none")
    add("tags", Self.inOrder(event.tags.map(\.text)))
    add("metadata", event.metadata.json)
    add("identity", "\(event.id.source) \(event.id.id)")
    add("time", event.time.microseconds)
    add("looked-up position", try log.position(of: event.id).map { "\($0)" } ?? "none")
  }

  private mutating func add(_ name: String, _ value: Any) { facts.append(Fact(name: name, value: "\(value)")) }

  /// Sorts by Unicode scalars, because `<` doesn't order two canonically equivalent strings.
  private static func inOrder(_ texts: [String]) -> [String] {
    texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func text(_ receipt: Receipt) -> String {
    let versions = inOrder(receipt.versions.map { "\($0): \($1)" })
    return "position \(receipt.position), count \(receipt.count), transaction "
      + "\(receipt.transaction.map(String.init) ?? "none"), versions \(versions)"
  }

  /// Copies missing receipts from another picture, for a store that doesn't promise to keep receipts.
  mutating func forgiveReceipts(like other: LogPicture) {
    for index in facts.indices where facts[index].name.hasPrefix("the receipt ") && facts[index].value == "none" {
      facts[index] = other.facts.first { ExactString.exactlyEqual($0.name, facts[index].name) } ?? facts[index]
    }
  }

  /// Verifies that another picture is equal, or throws an error that names the first differing fact.
  func ensureSame(_ other: LogPicture, _ when: String, fileID: String = #fileID, line: UInt = #line) throws {
    guard self != other else { return }
    let found = Dictionary(
      other.facts.map { (ExactString($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    let differing = facts.first { found[ExactString($0.name)] != $0 }
    let description: String
    if let differing {
      let value = found[ExactString(differing.name)]?.value ?? "none"
      description = "\(when), \(differing.name): expected \(differing.value), found \(value)"
    } else {
      let known = Set(facts.map { ExactString($0.name) })
      let added = other.facts.first { !known.contains(ExactString($0.name)) }
      let difference = added.map { "\($0.name): expected none, found \($0.value)" }
      description = "\(when), \(difference ?? "the order of the compared values differs")"
    }
    throw Unmet(description: description, fileID: fileID, line: line)
  }
}

extension LogPicture {
  private static let mark = "annals-contract"

  /// The facts as lines, so that another process can print them.
  var lines: [String] {
    facts.map { "\(Self.mark)\t\(JSONValue.quoted($0.name))\t\(JSONValue.quoted($0.value))" }
  }

  /// Reads the facts that another process printed, and skips all lines without facts.
  ///
  /// The strings stay quoted and are compared that way, so no parser is needed.
  init(lines: [String]) {
    facts = lines.compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == Self.mark else { return nil }
      return Fact(name: String(parts[1]), value: String(parts[2]))
    }
  }
}
