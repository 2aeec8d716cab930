import Annals
import AnnalsTesting
import Foundation
import Testing

/// Rules of delivery that hold for every batch, on random histories.
@Suite struct DeliveryRuleTests {
  /// A delegate that records each call, and acts inside some of them.
  private final class Recorder: FetchedResultsControllerDelegate {
    enum Call: Equatable {
      case will
      case section(FetchedResultsChangeType, Int, Int?)
      case row(FetchedResultsChangeType, IndexPath?, IndexPath?)
      case did
    }

    var calls: [Call] = []
    var inside: (() -> Void)?

    func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) { calls.append(.will) }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) { calls.append(.did) }

    func controller(
      _ controller: FetchedResultsController<Item>, didChange section: ResultsSection<Item>,
      atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType, newSectionIndex: Int?
    ) {
      calls.append(.section(type, sectionIndex, newSectionIndex))
      inside?()
    }

    func controller(
      _ controller: FetchedResultsController<Item>, didChange row: Item, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      calls.append(.row(type, indexPath, newIndexPath))
      inside?()
    }
  }

  /// Commits random transactions, and passes on the calls of a delegate.
  private func histories(
    moves: MoveReporting? = nil, _ body: @escaping ([Recorder.Call]) throws -> Void
  ) throws {
    let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber))
    try check(.array(of: .itemTransaction, count: 10...30), settings: CheckSettings(examples: 40)) { history in
      let store = MemoryEventStore()
      let controller = try controller(store, request)
      if let moves { controller.reportedMoves = moves }
      let recorder = Recorder()
      controller.delegate = recorder
      for events in history { try store.put(events) }
      try body(recorder.calls)
    }
  }

  @Test func `sections precede rows, deletions precede insertions, and insertions precede moves`() throws {
    try histories(moves: [.rows, .sections]) { calls in
      var last = 0
      for call in calls {
        let rank =
          switch call {
          case .will: 0
          case .section(.delete, _, _): 1
          case .section(.insert, _, _): 2
          case .section(.move, _, _): 3
          case .row(.delete, _, _): 4
          case .row(.insert, _, _): 5
          case .row(.move, _, _): 6
          case .section(.update, _, _): 7
          case .row(.update, _, _): 8
          case .did: 9
          }
        try ensure(rank == 0 ? last == 0 || last == 9 : rank >= last, "\(call) after \(last) in \(calls)")
        last = rank
      }
      sometimes(calls.contains { if case .row(.move, _, _) = $0 { true } else { false } }, "a row that moves")
    }
  }

  @Test func `both index paths of an update are equal`() throws {
    try histories { calls in
      for call in calls {
        switch call {
        case .row(.update, let path, let newPath): try ensure(path != nil && path == newPath, "\(call)")
        case .section(.update, let index, let newIndex): try ensureEqual(index, newIndex)
        default: break
        }
      }
      sometimes(calls.contains { if case .row(.update, _, _) = $0 { true } else { false } }, "an update")
    }
  }

  @Test func `by default, row moves are reported and section moves aren't`() throws {
    func kinds(_ calls: [Recorder.Call]) -> (rows: Bool, sections: Bool) {
      (
        calls.contains { if case .row(.move, _, _) = $0 { true } else { false } },
        calls.contains { if case .section(.move, _, _) = $0 { true } else { false } }
      )
    }
    try histories { calls in
      try ensure(!kinds(calls).sections, "a section's move is reported")
      sometimes(kinds(calls).rows, "a row's move")
    }
    try histories(moves: [.rows, .sections]) { sometimes(kinds($0).sections, "a section's move") }
    try histories(moves: []) { try ensure(kinds($0) == (false, false), "a move is reported") }
  }

  @Test func `update cycles of one controller never nest`() throws {
    let store = MemoryEventStore()
    let controller = try controller(store)
    let recorder = Recorder()
    controller.delegate = recorder
    var left = 40
    recorder.inside = { [store] in
      guard left > 0 else { return }
      left -= 1
      switch left % 5 {
      case 0: controller.collapseSection(left % 2 == 0 ? "x" : "y")
      case 1: controller.collapsedSections = .none
      case 2: _ = try? controller.update { $0.limit = left % 3 == 0 ? 4 : nil }
      case 3: controller.refresh()
      default: break
      }
      _ = try? store.put(.put(Item("\(left % 7)", left % 2 == 0 ? "x" : "y", left)))
    }
    try store.put(.put(Item("first", "x", -1)))
    #expect(left == 0)
    var depth = 0
    for call in recorder.calls {
      if call == .will { depth += 1 }
      #expect(depth == 1)
      if call == .did { depth -= 1 }
    }
    #expect(depth == 0 && recorder.calls.filter { $0 == .will }.count > 10)
  }

  @Test func `a batch starts at the list and the position where the previous batch ended`() throws {
    try check(
      .array(of: zip(.itemTransaction, .int(in: 0...5)), count: 10...30), settings: CheckSettings(examples: 40)
    ) { steps in
      let store = MemoryEventStore()
      let controller = try controller(store)
      var batches: [Changes<Item>] = []
      let first = controller.results
      let observation = controller.observe { batches.append($0) }
      for (number, (events, kind)) in steps.enumerated() {
        switch kind {
        case 0: try controller.seek(to: Position(number / 2))
        case 1: try controller.returnToLive()
        case 2: controller.collapsedSections = number.isMultiple(of: 2) ? .all : .none
        case 3: try controller.update { $0.limit = number.isMultiple(of: 2) ? 3 : nil }
        default: break
        }
        try store.put(events)
      }
      observation.cancel()
      var last = (position: first.position, list: first)
      for batch in batches {
        try ensureEqual(batch.from, last.position)
        try ensure(batch.old == last.list, "a batch begins at another list")
        last = (batch.to, batch.new)
      }
      try ensure(last.list == controller.results, "the last batch ends elsewhere")
    }
  }
}
