#if os(macOS) || os(Linux)
  import Annals
  import AnnalsLog
  import Foundation
  import Testing
  @testable import AnnalsSQLite

  /// The file of a copy whose process is killed while it replaces the copy.
  @Suite struct RecloneTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `A process that is killed during Replica.reclone leaves the old copy or the whole new copy`() throws {
      let path = folder.path("log")
      var types: Set<String> = []
      for _ in 0..<12 {
        let child = try ChildProcess("reclones", path, "1", "1000000")
        #expect(child.wait(for: "replaced"))
        usleep(UInt32.random(in: 0...30_000))
        child.kill()
        let (_, talk, _) = child.finish()
        #expect(talk == "")
        let store = try SQLiteEventStore(path: path, durability: .process)
        let events = try store.events(.all, after: 0, through: nil, limit: 1_000)
        #expect(events.map(\.position.rawValue) == Array(1...400))
        #expect(Set(events.map(\.type)).count == 1)
        types.formUnion(events.map(\.type))
        let report = try store.verify()
        #expect(report.isSound, "\(report.problems)")
        store.close()
      }
      #expect(types.count == 12)
    }

    @Test func `A writer recognises its own commits after the replacement of all events, too`() {
      let (old, new) = (LogRevision.original, LogRevision(rebases: 3))
      var end = OwnEnd()
      #expect(end.isEnd(0, old) && !end.isEnd(1, old))
      end.move(to: 9, at: 0)
      end.move(to: 8, at: 0)
      #expect(end.isEnd(9, old) && !end.isEnd(10, old))
      // Another writer replaced the events.
      #expect(!end.isEnd(4, new))
      end.move(to: 5, at: 3)
      #expect(end.isEnd(5, new) && !end.isEnd(6, new))
    }
  }
#endif
