#if os(Linux)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Testing

  /// A store opens a connection only when it's needed.
  @Suite struct FewConnectionsTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("log") }

    init() throws {
      folder = try TemporaryFolder()
      let store = try SQLiteEventStore(path: path)
      try store.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
      store.close()
    }

    /// The number of connections that have the log's commits open.
    private var connections: Int {
      let folder = "/proc/self/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path + "-wal"
      }
    }

    @Test func `the connection that copies commits is opened by the first write`() throws {
      let store = try SQLiteEventStore(path: path)
      #expect(connections == 1)
      #expect(try store.events(.all, after: 0, through: nil, limit: 9).count == 1)
      #expect(connections == 2)
      for _ in 0..<2 { try store.append(Append([NewEvent(type: "E", payload: nil)], to: "s")) }
      #expect(connections == 3)
      store.close()
      #expect(connections == 0)
    }

    @Test func `a store that wrote no data closes the log completely`() throws {
      let (store, other) = (try SQLiteEventStore(path: path), try SQLiteEventStore(path: path))
      try other.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
      other.close()
      #expect(try store.head() == 2)
      store.close()
      #expect(connections == 0)
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      let report = try SQLiteEventStore(readingFrom: path).verify()
      #expect(report.isSound && report.events == 2)
    }

    @Test func `a removed file is noticed by the first write, which needs another connection`() throws {
      for end in ["-wal", "-shm"] {
        let store = try SQLiteEventStore(path: path)
        try FileManager.default.removeItem(atPath: path + end)
        let error = #expect(throws: EventStoreError.self) {
          try store.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
        }
        #expect(error?.code == .replaced)
        #expect(connections == (end == "-wal" ? 0 : 1))
        store.close()
        #expect(try SQLiteEventStore(path: path).head() == 1)
      }
    }
  }
#endif
