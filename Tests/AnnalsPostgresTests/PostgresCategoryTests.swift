#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation
  import Testing

  /// Conditions on categories in a log with more events than a condition scans.
  @Suite struct PostgresCategoryTests {
    @Test func `a condition on a category finds its first event in a long log`() async throws {
      let server = try TestServer()
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      let entries = (1...5_000).map { number in
        let stream: StreamName = number % 1_000 == 900 ? "Hall-\(number)" : "HallX-\(number % 7)"
        return Append.Entry(stream: stream, event: NewEvent(type: "T\(number % 3)", payload: "1"))
      }
      try await store.append(Append(entries))
      for (alternative, after, found) in [
        (.init(categories: ["Hall"]), 0, 900), (.init(categories: ["Hall"]), 900, 1_900),
        (.init(categories: ["None", "HallX", "Hall"]), 0, 1), (.init(categories: ["Hall"], types: ["T1"]), 0, 1_900),
        (.init(categories: ["Hall"]), 4_900, nil), (.init(categories: ["Hal"]), 0, nil),
        (.init(categories: ["Hall"], types: ["T9"]), 0, nil),
      ] as [(EventQuery.Alternative, Position, Position?)] {
        let condition = Append.Condition(noneMatching: EventQuery([alternative]), after: after)
        let entry = Append.Entry(stream: "s", event: NewEvent(type: "T", payload: "1"))
        do {
          try await store.append(Append([entry], conditions: [condition]))
          #expect(found == nil)
        } catch let error as EventStoreError {
          #expect(error.code == .conditionConflict && found.map { error.message.contains("\($0)") } == true, "\(error)")
        }
      }
    }
  }
#endif
