import AnnalsLog
import AnnalsStoreTesting
import AnnalsTesting
import Foundation
import Testing

/// Stores and logs that wrap others, and views of logs.
@Suite struct ForwardingTests {
  private final class Wrapper: ForwardingEventStore {
    let wrapped: any EventStore

    init(_ wrapped: any EventStore) { self.wrapped = wrapped }
  }

  private struct WrapperLog: ForwardingEventLog {
    let wrapped: any EventLog
  }

  /// Creates a log whose events' types contain their positions.
  private static func log(_ count: Int) throws -> MemoryEventStore {
    let store = MemoryEventStore()
    for position in 1...count {
      try store.append(Append([NewEvent(type: "E\(position)", payload: "1")], to: StreamName("s\(position % 2)")))
    }
    return store
  }

  @Test func `each requirement of stores and logs is forwarded`() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let folder = root.appendingPathComponent("Sources/AnnalsLog/Store")
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.appendingPathComponent("\(name).swift"), encoding: .utf8)
    }
    for name in ["EventStore", "EventLog"] {
      let source = try text(name)
      let start = try #require(source.range(of: "public protocol \(name)"))
      let end = try #require(source.range(of: "\n}\n", range: start.upperBound..<source.endIndex))
      // The parameter labels distinguish functions of one name.
      let requirements = source[start.upperBound..<end.lowerBound].split(separator: "\n").compactMap { line in
        line.firstMatch(of: /^  ((?:func|var) .*?)(?: \{ get \}| throws.*)?$/)?.1
      }
      #expect(requirements.count > 10)
      let forwarding = try text("Forwarding\(name)").replacing(/\s+/, with: " ")
        .replacing("( ", with: "(").replacing(" )", with: ")")
      for requirement in requirements {
        #expect(forwarding.contains(requirement), "Forwarding\(name) doesn't forward \(requirement)")
      }
    }
  }

  @Test(arguments: StoreContract.rules)
  func `a forwarding store keeps the contract of stores`(rule: StoreContract.Rule) throws {
    try rule.check { Wrapper(MemoryEventStore(source: "memory", environment: $0)) }
  }

  @Test func `a forwarding log returns the wrapped log's results`() throws {
    let store = try Self.log(5)
    let log = WrapperLog(wrapped: store)
    #expect(try log.head() == 5 && log.version(of: "s1") == 3)
    #expect(try log.events(.all, after: 1, through: 4, limit: 9) == store.events(.all, after: 1, through: 4, limit: 9))
    #expect(try log.tail(of: "s0", after: 2).events == store.events(.stream("s0"), after: 2, through: nil, limit: 9))
  }

  @Test func `a view shows exactly the events that its closure returns, in every range and with every limit`() throws {
    let count = 5
    let store = try Self.log(count)
    let all = store.events(.all, after: 0, through: nil, limit: 100)
    for hidden in 0..<(1 << count) {
      let transform: @Sendable (StoredEvent) -> StoredEvent? = { event in
        hidden >> (event.position.rawValue - 1) & 1 == 1 ? nil : event.with(payload: "true")
      }
      let view = EventLogView(of: store, transform: transform)
      #expect(try view.head() == store.head() && view.revision() == store.revision())
      for query in [EventQuery.all, .stream("s1"), .types("E2", "E3", "E4")] {
        let shown = all.filter(query.matches).compactMap(transform)
        for after in 0...count {
          for through in [nil] + (after...count).map({ Position($0) }) {
            let range = shown.filter { $0.position.rawValue > after && $0.position <= through ?? $0.position }
            for limit in 1...3 {
              let forwards = try view.events(query, after: Position(after), through: through, limit: limit)
              #expect(forwards == Array(range.prefix(limit)))
              let backwards = try view.eventsBackwards(query, after: Position(after), through: through, limit: limit)
              #expect(backwards == Array(range.reversed().prefix(limit)))
            }
          }
        }
      }
      let rest = all.compactMap(transform)
      for after in 0...count {
        let batch = try view.batch(after: Position(after), through: Position(count), limit: 2)
        let expected = rest.filter { $0.position.rawValue > after }
        // A batch may be smaller than the limit, but it is empty only at the end, and skips no event.
        #expect(batch.events.isEmpty == expected.isEmpty)
        #expect(batch.events == Array(expected.prefix(batch.count)))
      }
    }
  }

  @Test func `a view through a position hides all later events`() throws {
    let store = try Self.log(6)
    for end in 0...6 {
      let view = EventLogView(of: store, through: Position(end))
      #expect(try view.head() == Position(end))
      for stream in ["s0", "s1", "s2"] {
        let events = store.events(.stream(StreamName(stream)), after: 0, through: Position(end), limit: 9)
        #expect(try view.version(of: StreamName(stream)) == (end == 0 ? 0 : events.count))
      }
      for event in store.events(.all, after: 0, through: nil, limit: 9) {
        #expect(try view.position(of: event.id) == (event.position <= Position(end) ? event.position : nil))
      }
      let events = try view.events(.all, after: 0, through: nil, limit: 9)
      #expect(events.map(\.position.rawValue) == Array(0..<end).map { $0 + 1 })
      #expect(try view.eventsBackwards(.all, after: 0, through: 6, limit: 9) == events.reversed())
      #expect(try view.batch(after: 0, through: 6, limit: 9).events == events)
      #expect(try view.unchanged(since: .original) == Position(end))
    }
  }
}
