import Annals
import Testing

@Suite struct EventStoreErrorTests {
  @Test func `A switch over codes has a default, so that a code can be added`() {
    func advice(_ error: EventStoreError) -> String {
      switch error.code {
      case .busy: "later"
      case .versionConflict, .conditionConflict: "again"
      default: "never"
      }
    }
    #expect(advice(EventStoreError(.busy, "…")) == "later")
    #expect(advice(.versionConflict(stream: "s", expected: .exact(1), found: 2)) == "again")
    #expect(advice(EventStoreError(.io, "…")) == "never")
    #expect(advice(EventStoreError(.offline, "the server does not answer")) == "never")
  }

  @Test func `What belongs to a code is a property, and nil for other codes`() {
    let id = EventID(source: "a", id: "b")
    let version = EventStoreError.versionConflict(stream: "s", expected: .exact(1), found: 2)
    #expect(version.stream == "s" && version.expected == .exact(1) && version.version == 2 && version.position == nil)
    let condition = EventStoreError.conditionConflict(after: 3, found: 5)
    #expect(condition.after == 3 && condition.position == 5 && condition.stream == nil && condition.isConflict)
    let compacted = EventStoreError.conditionConflict(after: 3, compactedThrough: 5)
    #expect(compacted.code == .conditionConflict && compacted.after == 3 && compacted.position == 5)
    #expect(compacted.message.contains("was compacted") && compacted != condition)
    let duplicate = EventStoreError.duplicateEvent(id, at: 7)
    #expect(duplicate.event == id && duplicate.position == 7 && !duplicate.isConflict)
    #expect(EventStoreError.tooManyConflicts(attempts: 4, "…").attempts == 4)
    #expect(EventStoreError.newerFormat(found: 9, "…").format == 9)
    #expect(EventStoreError.compacted(through: 8, "…").position == 8)
  }

  @Test func `A store that does not offer something says what, and what to do`() {
    let error = EventStoreError.unsupported("saved lists", by: MemoryEventStore.self)
    #expect(error.code == .unsupported && error.capability == "saved lists" && !error.isConflict)
    #expect(error.message.hasPrefix("MemoryEventStore does not support saved lists; use a"))
    let advised = EventStoreError.unsupported("checkpoints", by: Int.self, instead: "keep the position yourself")
    #expect(advised.message.hasSuffix(", or keep the position yourself"))
  }

  @Test func `a transient error can be retried unchanged, but a conflict and a lasting error can't`() {
    let transient = ["busy", "tooManyConflicts", "followerBusy", "unreachable", "unknownOutcome"]
    for code in transient { #expect(EventStoreError(.init(rawValue: code), "…").isTransient) }
    let others: [EventStoreError.Code] = [
      .versionConflict, .conditionConflict, .commandReused, .closed, .replaced, .io,
    ]
    for code in others { #expect(!EventStoreError(code, "…").isTransient) }
  }

  @Test func `A code is printed as its name`() {
    #expect("\(EventStoreError.Code.busy) \(ProjectionError.Code.refused)" == "busy refused")
    #expect("\(EventCodingError.Code.badPayload) \(CompactionError.Code.badRule)" == "badPayload badRule")
    #expect("\(ListRequestError.Code.unnamedPart)" == "unnamedPart")
  }
}

extension EventStoreError.Code {
  static let offline = Self(rawValue: "offline")
}
