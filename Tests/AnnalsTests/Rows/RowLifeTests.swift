import Annals
import AnnalsLog
import Testing

/// An object that a row holds; a test asks whether it is still there.
private final class Shell: Codable, Sendable {
  let number: Int

  init(_ number: Int) { self.number = number }
}

private struct ShellRow: Row {
  let id: Int
  let shell: Shell

  static func == (left: ShellRow, right: ShellRow) -> Bool { left.id == right.id && left.shell === right.shell }
}

private enum ShellEvent: Event {
  case found(Int)
}

private struct Shells: Projection {
  let keep: @Sendable (Shell) -> Void

  func project(_ event: ShellEvent, into rows: inout Rows<ShellRow>) {
    guard case .found(let number) = event else { return }
    let shell = Shell(number)
    keep(shell)
    rows.insert(ShellRow(id: number % 300, shell: shell))
  }
}

@Suite struct RowLifeTests {
  private struct Weak {
    weak var shell: Shell?
  }

  /// Enough events for rows in a table, and many rows that replace others.
  @Test func `rows are let go of with the list that had them`() throws {
    let kept = Kept()
    let store = MemoryEventStore()
    try store.append(Append(try (0..<900).map { try EventCoder<ShellEvent>().encode(.found($0)) }, to: "s"))
    do {
      let list = FetchedResultsController(store: store, projection: Shells { kept.add($0) })
      try list.performFetch()
      #expect(list.results.rows.count == 300)
      #expect(kept.count == 300)
    }
    #expect(kept.count == 0)
  }

  /// Remembers objects without keeping them; one thread uses it.
  private final class Kept: @unchecked Sendable {
    private var shells: [Weak] = []

    func add(_ shell: Shell) { shells.append(Weak(shell: shell)) }
    var count: Int { shells.count { $0.shell != nil } }
  }
}
