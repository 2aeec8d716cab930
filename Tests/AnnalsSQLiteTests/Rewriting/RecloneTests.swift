#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

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
  }
#endif
