import Annals
import AnnalsLog
import AnnalsTesting
import Testing

@testable import AnnalsRemote

/// The known part of a remote log during a decision.
@Suite struct RemoteSnapshotTests {
  @Test func `missing versions and positions are read from the remote log once`() async throws {
    let remote = MemoryRemoteStore()
    _ = try await remote.server.append(
      Append([NewEvent(type: "T", payload: nil), NewEvent(type: "T", payload: nil)], to: "s"))
    let id = try #require(remote.server.events(.all, after: 1, through: nil, limit: 1).first).id
    let snapshot = RemoteSnapshot(of: remote, trusts: false)
    #expect(throws: RemoteSnapshot.Missing.self) { try snapshot.version(of: "s") }
    #expect(snapshot.isIncomplete)
    _ = try await snapshot.read(from: remote, nil)
    #expect(try snapshot.version(of: "s") == 2 && !snapshot.isIncomplete)
    #expect(throws: RemoteSnapshot.Missing.self) { try snapshot.position(of: id) }
    _ = try await snapshot.read(from: remote, nil)
    let unknown = EventID(source: "elsewhere", id: "1")
    #expect(throws: RemoteSnapshot.Missing.self) { try snapshot.position(of: unknown) }
    _ = try await snapshot.read(from: remote, nil)
    let count = remote.calls.count
    #expect(try snapshot.position(of: id) == 2 && snapshot.version(of: "s") == 2)
    // The remote log has no such event, and the snapshot remembers that.
    #expect(try snapshot.position(of: unknown) == nil)
    #expect(remote.calls.count == count && !snapshot.isIncomplete)
  }
}
