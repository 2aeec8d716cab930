import Annals
import AnnalsTesting
import Foundation
import Testing

private enum PotMoneyEvent: Event {
  case spent(Int)
  case refunded(Int)
}

/// A decider as it was released first, and as it is after a correction.
private protocol PotMoney: SnapshotDecider where Event == PotMoneyEvent, Command == Int {
  var spent: Int { get set }
}

extension PotMoney {
  func decide(_ command: Int) -> [PotMoneyEvent] { command < 0 ? [.refunded(-command)] : [.spent(command)] }
}

@Suite final class KeptStateTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)/kept/Limit.jsonl")

  deinit { try? FileManager.default.removeItem(at: file.deletingLastPathComponent().deletingLastPathComponent()) }

  private struct First: PotMoney {
    var spent = 0
    mutating func evolve(_ event: PotMoneyEvent) { if case .spent(let amount) = event { spent += amount } }
  }

  private struct Corrected: PotMoney {
    var spent = 0
    mutating func evolve(_ event: PotMoneyEvent) {
      switch event {
      case .spent(let amount): spent += amount
      case .refunded(let amount): spent -= amount
      }
    }
  }

  private struct Raised: PotMoney {
    static let stateVersion = 2
    var spent = 0
    mutating func evolve(_ event: PotMoneyEvent) {
      var other = Corrected(spent: spent)
      other.evolve(event)
      spent = other.spent
    }
  }

  private struct Larger: PotMoney {
    var spent = 0
    var count = 0
    mutating func evolve(_ event: PotMoneyEvent) {
      count += 1
      if case .spent(let amount) = event { spent += amount }
    }
  }

  private let samples: [[PotMoneyEvent]] = [[.spent(100), .refunded(40)], []]

  private func unmet(_ body: () throws -> Void) -> String {
    #expect(throws: Unmet.self) { try body() }.map { $0.description } ?? ""
  }

  @Test func `a corrected evolve without a higher version is found, and one with a higher version is not`() throws {
    let added = unmet { try First.ensureKept(samples, in: file.path) }
    #expect(added.hasPrefix("2 states were added"), "\(added)")
    try First.ensureKept(samples, in: file.path)
    let stale = unmet { try Corrected.ensureKept(samples, in: file.path) }
    let different = #"line 1: the saved state differs from the state that `evolve` computes: expected {"spent":60}"#
    #expect(stale.contains(different))
    #expect(stale.contains(#"found {"spent":100}"#) && stale.contains("Raise `Corrected.stateVersion`, currently 1"))
    // A store does not use states of another version or with other properties: they are added.
    #expect(unmet { try Raised.ensureKept(samples, in: file.path) }.hasPrefix("2 states were added"))
    try Raised.ensureKept(samples, in: file.path)
    #expect(unmet { try Larger.ensureKept(samples, in: file.path) }.hasPrefix("2 states were added"))
    try Larger.ensureKept(samples, in: file.path)
    try First.ensureKept(samples, in: file.path)
    // Lines that aren't samples any more are checked too.
    #expect(unmet { try Corrected.ensureKept([], in: file.path) }.contains("line 1"))
  }

  @Test func `a line that is no kept state is named`() throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("{\"fingerprint\":\"1\",\"events\":[]}\n".utf8).write(to: file)
    #expect(unmet { try First.ensureKept([], in: file.path) }.contains("line 1: expected an object with the members"))
  }
}
