import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// The data that refers to a removed stream: which references prevent the removal, and which are only reported.
@Suite struct StreamReferenceTests {
  private let store: any EventStore = MemoryEventStore()
  private let spam = Letters.stream("17")

  private func removal(
    _ names: Set<String> = [], through: Position? = nil,
    _ prove: (inout Compaction) -> Void = { $0.prove(Letters.self) }
  ) -> Compaction {
    var removal = Compaction(through: through)
    removal.removeStream(spam, allowing: names)
    prove(&removal)
    return removal
  }

  private func event(_ text: String, _ tags: Set<EventTag> = [], _ metadata: Metadata = [:]) throws -> NewEvent {
    var event = try EventCoder<LetterEvent>().encode(.written(text))
    event.tags = tags
    event.metadata = metadata
    return event
  }

  @Test func `a boundary's state prevents the removal unless its decider is allowed, and a stream's state doesn't`()
    throws
  {
    try store.execute("a", on: Letters["17"])
    try store.execute("b", on: Letters["18"])
    func prove(_ compaction: inout Compaction) {
      compaction.prove(Letters.self)
      compaction.prove(AllLetters.self, for: [()])
    }
    let error = #expect(throws: CompactionError.self) { try store.compact(removal([], prove)) }
    #expect(error?.code == .referenced && error?.references.map(\.name) == ["AnnalsTests.AllLetters"])
    let reference = try #require(error?.references.first)
    #expect(reference.code == .notEqual && reference.message.contains("boundary 1 of 1"))
    #expect(reference.before?.contains("\"a\"") == true && reference.after?.contains("\"a\"") == false)
    #expect(
      error?.message.contains(#"add these names to `allowing` in `removeStream`: "AnnalsTests.AllLetters""#) == true)
    #expect(try store.version(of: spam) == 1 && store.revision().number == 0)
    try store.compact(removal(["AllLetters"], prove))
    let left = try store.events(.types("LetterWritten"), after: 0, through: nil, limit: 9)
    #expect(left.map(\.stream) == [Letters.stream("18")])
  }

  @Test func `events of other streams that were caused by the stream or name it in a tag are only reported`() throws {
    try store.append(Append([try event("a")], to: spam))
    let id = try #require(try store.events(.all, after: 0, through: nil, limit: 1).first?.id.id)
    var (caused, correlated) = (Metadata(), Metadata())
    caused.causation = id
    correlated.correlation = id
    let others: [NewEvent] = [
      try event("b", [], caused), try event("c"), try event("d", [], correlated), try event("e", ["letters:17"]),
      try event("f", ["Letters-17"]), try event("g", ["Letters:17"]), try event("h", ["other:17"]),
      try event("i", ["Letters-1", "17"]),
    ]
    try store.append(Append(others, to: "Other-1"))
    try store.append(Append([try event("z", [], caused)], to: spam))
    let receipt = try store.compact(removal())
    let references = receipt.references
    #expect(references.allSatisfy { $0.code == .relatedEvent && $0.stream == "Other-1" })
    #expect(receipt.blockingReferences.isEmpty)
    #expect(references.map(\.position) == [2, 4, 5, 6, 7])
    #expect(try store.events(.all, after: 0, through: nil, limit: 99).count == 8)
  }

  @Test func `a saved draft with a command for the stream prevents the removal unless it is allowed`() throws {
    try store.execute("a", on: Letters["17"])
    func draft(_ name: String) throws -> Branch { try store.draft(named: name, deciders: .of(Letters.self)) }
    let form = try draft("form")
    try form.execute("draft", on: Letters["17"])
    try draft("other").execute("draft", on: Letters["18"])
    let appended = try draft("events")
    try appended.append(Append([try event("b")], to: spam))
    let error = #expect(throws: CompactionError.self) { try store.compact(removal(["form"])) }
    #expect(error?.code == .referenced && error?.references.map(\.name) == ["events"])
    let receipt = try store.compact(removal(["form", "events"]))
    #expect(receipt.references.compactMap(\.name).sorted() == ["events", "form"])
    #expect(receipt.references.map(\.code) == [.draft, .draft])
    // The draft's command is decided on the empty stream.
    let reopened = try draft("form")
    #expect(try reopened.state(of: Letters["17"]).texts == ["draft"])
    try reopened.merge()
    #expect(try store.state(of: Letters["17"]).texts == ["draft"] && store.version(of: spam) == 1)
  }

  @Test func `undo steps of the stream are reported, and can't be undone after the removal`() throws {
    let history = UndoHistory(store, of: "ann", deciders: [Pad.self])
    try history.execute(.write("a"), on: Pad["17"])
    try history.execute(.write("b"), on: Pad["18"])
    let step = try #require(try history.stacks().undo.min { $0.position < $1.position })
    var removal = Compaction()
    removal.removeStream(Pad.stream("17"))
    removal.prove(Pad.self)
    let planned = try store.rehearse(removal)
    #expect(planned.references == (try store.compact(removal).references))
    #expect(planned.references.map(\.code) == [.undoStep] && planned.blockingReferences.isEmpty)
    #expect(planned.references.map(\.name) == [step.id])
    #expect(try history.stacks().undo.count == 1)
    try history.undo()
    #expect(throws: UndoError.self) { try history.undo() }
    #expect(try store.state(of: Pad["17"]) == Pad() && store.version(of: Pad.stream("17")) == 0)
  }

  @Test func `an event that no registered list or decider reads needs its type's name`() throws {
    try store.append(Append([try event("a"), NewEvent(type: "Legacy", payload: "{}")], to: spam))
    let error = #expect(throws: CompactionError.self) { try store.compact(removal()) }
    #expect(error?.code == .unproven && error?.event?.type == "Legacy")
    #expect(try store.compact(removal(["Legacy"])).cut == 2)
  }

  @Test func `a removal with rules, without lists and deciders, or through an earlier position is refused`() throws {
    try store.execute("a", on: Letters["17"])
    try store.execute("b", on: Letters["18"])
    try store.execute("c", on: Letters["17"])
    try store.execute("d", on: Letters["18"])
    func refused(_ compaction: Compaction) throws -> CompactionError.Code? {
      let error = #expect(throws: CompactionError.self) { try store.compact(compaction) }
      #expect(try store.revision().number == 0)
      return error?.code
    }
    var both = removal()
    both.rewrite(LetterEvent.self) { _, events in events }
    #expect(try refused(both) == .badRule)
    #expect(try refused(removal(through: nil) { _ in }) == .incomplete)
    #expect(try refused(removal(through: 2)) == .badHorizon)
    var twice = removal()
    twice.removeStream(spam)
    #expect(try refused(twice) == .badRule)
    #expect(try store.compact(removal(through: 4)).horizon == 3)
  }

  @Test func `several streams are removed together, or none of them`() throws {
    for id in ["17", "18", "19"] { try store.execute("a", on: Letters[id]) }
    var removal = removal()
    removal.removeStream(Letters.stream("18"), expecting: .exact(2))
    #expect(throws: EventStoreError.self) { try store.compact(removal) }
    #expect(try store.version(of: spam) == 1)
    var both = self.removal()
    both.removeStream(Letters.stream("18"), expecting: .exact(1))
    let receipt = try store.compact(both)
    #expect(receipt.cut == 2 && receipt.horizon == 2)
    for (id, version) in [("17", 0), ("18", 0), ("19", 1)] {
      #expect(try store.version(of: Letters.stream(id)) == version)
    }
  }

  @Test func `a list that can't be built without the stream prevents the removal, even if it is allowed`() throws {
    try store.append(Append([try event("first")], to: spam))
    try store.append(Append([try event("second")], to: Letters.stream("18")))
    let error = #expect(throws: CompactionError.self) {
      try store.compact(removal(["Chain"]) { $0.prove(Chain()) })
    }
    #expect(error?.code == .notEqual && error?.name == "AnnalsTests.Chain")
    #expect(try store.version(of: spam) == 1)
  }

  @Test func `a list on screen reports the rows of a removed stream in a batch with the cause compaction`() throws {
    for id in ["17", "18"] { try store.execute("letter \(id)", on: Letters[id]) }
    let list = FetchedResultsController(store: store, projection: LetterList())
    try list.performFetch()
    var causes: [ChangeCause] = []
    let observation = list.observe { changes in causes.append(changes.cause) }
    try store.compact(removal(["LetterList"]) { $0.prove(LetterList()) })
    #expect(list.fetchedObjects.map(\.text) == ["letter 18"])
    #expect(causes == [.compaction])
    observation.cancel()
  }
}

private enum LetterEvent: Event {
  case written(String)
}

private struct Letters: Decider, Equatable {
  var texts: [String] = []

  func decide(_ command: String) -> [LetterEvent] { [.written(command)] }

  mutating func evolve(_ event: LetterEvent) {
    if case .written(let text) = event { texts.append(text) }
  }
}

private struct AllLetters: BoundaryDecider, Equatable {
  var texts: [String] = []

  static func boundary(for command: Void) -> EventQuery { .types("LetterWritten") }

  func decide(_ command: Void) -> [LetterEvent] { [] }

  mutating func evolve(_ event: LetterEvent) {
    if case .written(let text) = event { texts.append(text) }
  }
}

private struct Letter: Row {
  let id: String
  let text: String
}

private struct LetterList: Projection {
  func project(_ recorded: Recorded<LetterEvent>, into rows: inout Rows<Letter>) {
    if case .written(let text) = recorded.event { rows.insert(Letter(id: recorded.stream.text, text: text)) }
  }
}

/// A list in which the second letter requires the first letter.
private struct Chain: Projection {
  struct Missing: Error {}

  func project(_ event: LetterEvent, into rows: inout Rows<Letter>) throws {
    guard case .written(let text) = event else { return }
    if text == "second", rows["first"] == nil { throw Missing() }
    rows.insert(Letter(id: text, text: text))
  }
}

private struct Pad: EventwiseUndoableDecider, Equatable {
  enum Command: Sendable { case write(String), erase(String) }

  var texts: [String] = []

  func decide(_ command: Command) -> [PadEvent] {
    switch command {
    case .write(let text): [.written(text)]
    case .erase(let text): [.erased(text)]
    }
  }

  mutating func evolve(_ event: PadEvent) {
    switch event {
    case .written(let text): texts.append(text)
    case .erased(let text): texts.removeAll { $0 == text }
    }
  }

  func undoing(_ event: PadEvent) -> Command? {
    switch event {
    case .written(let text): .erase(text)
    case .erased(let text): .write(text)
    }
  }
}

private enum PadEvent: Event {
  case written(String)
  case erased(String)
}
