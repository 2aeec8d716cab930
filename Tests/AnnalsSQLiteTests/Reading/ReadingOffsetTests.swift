#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
  import Annals
  import AnnalsSQLite
  import Testing

  /// How far a program says that it has come in reading a log; in a process of its own, which reads nothing else.
  @Suite struct ReadingPlaceTests {
    @Test func `after a read of a type the place is the log's end`() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let store = try SQLiteEventStore(path: folder.path("log"))
        for type in ["A", "B", "A", "B", "B"] {
          try store.append(Append([NewEvent(type: type, payload: "{}")], to: "s"))
        }
        ReadingOffset.begin()
        let events = try store.events(.types("A"), after: 0, through: nil, limit: 10)
        precondition(events.count == 2 && ReadingOffset.position == 5, "\(events.count) at \(ReadingOffset.position)")
      }
    }
  }
#endif
