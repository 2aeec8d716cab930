import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

@testable import AnnalsReplay

private enum LimitEvent: Event {
  case spent(Int)
  case refunded(Int)
}

/// A limit whose first release forgot refunds.
///
/// The test chooses which release runs.
private struct Limit: SnapshotDecider {
  nonisolated(unsafe) static var isCorrected = false
  nonisolated(unsafe) static var stateVersion = 1
  static let snapshotInterval = 4

  struct Refused: Error {}

  var spent = 0

  func decide(_ command: Int) throws -> [LimitEvent] {
    if spent + command > 1_000 { throw Refused() }
    return command < 0 ? [.refunded(-command)] : [.spent(command)]
  }

  mutating func evolve(_ event: LimitEvent) {
    switch event {
    case .spent(let amount): spent += amount
    case .refunded(let amount): if Self.isCorrected { spent -= amount }
    }
  }
}

/// The same on a boundary.
private struct SharedLimit: SnapshotDecider, BoundaryDecider {
  static let snapshotInterval = 4
  var limit = Limit()

  static func boundary(for command: Int) -> EventQuery { .types("LimitSpent", "LimitRefunded") }
  static func stream(for command: Int) -> StreamName { "shared" }
  func decide(_ command: Int) throws -> [LimitEvent] { try limit.decide(command) }
  mutating func evolve(_ event: LimitEvent) { limit.evolve(event) }
}

/// An app's own tool finds states that former code kept.
@Suite(.serialized) struct StaleStateTests {
  @Test func `verify names the kept states that the deciders of today would not make`() throws {
    let tool = try ToolRunner()
    (Limit.isCorrected, Limit.stateVersion) = (false, 1)
    do {
      let store = try SQLiteEventStore(path: tool.log)
      for command in [50, -40, 50, -5, 0] { try store.execute(command, on: Limit["a"]) }
      for command in [1, 2, 3, 4, 5] { try store.execute(command, on: Limit["b"]) }
      for command in [-1, -1, -1, -1, -1] { try store.execute(command, on: .boundary(SharedLimit.self)) }
      store.close()
    }
    tool.tool = ReplayTool(ReplayCommands(Limit.self), ReplayCommands(SharedLimit.self), name: "depot")
    let sound = tool.run("verify", tool.log)
    #expect(sound.status == 0 && sound.talk.contains("all is as it must be"), "\(sound)")

    Limit.isCorrected = true
    let stale = tool.run("verify", tool.log)
    #expect(stale.status == 1, "\(stale)")
    #expect(
      stale.output.contains(#"the saved state of Limit for stream "Limit-a" after event "#), "\(stale)"
    )
    #expect(stale.output.contains(#"expected {"spent":55}, found {"spent":100}"#), "\(stale)")
    #expect(stale.output.contains("Increase `Limit.stateVersion`") && !stale.output.contains("Limit-b"))
    #expect(stale.output.contains("SharedLimit for the boundary"), "\(stale)")
    #expect(stale.talk.contains("the file is sound, but kept states of deciders are not what their events make"))
    let json = tool.run("verify", tool.log, "--json")
    #expect(json.status == 1 && json.output.contains(#""sound":false"#))

    // A store does not use states of another version. The stock tool and a tool without deciders look at none.
    Limit.stateVersion = 2
    #expect(!tool.run("verify", tool.log).output.contains("Limit-a"))
    Limit.stateVersion = 1
    tool.tool = .annals
    #expect(tool.run("verify", tool.log).status == 0)
  }
}
