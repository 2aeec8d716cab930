import Annals
import AnnalsTesting
import Testing

private struct NoEvent: Codable {}

extension NoEvent: Event {}

private struct NoCells: Projection {
  func project(_ event: NoEvent, into rows: inout Rows<Cell>) {}
}

private func message(_ index: String, _ type: String) -> String {
  "a section change of type \(type) has \(index). A move or an update must have a new index. An insertion or a "
    + "deletion must not have a new index"
}

/// What a delegate notes of calls that no table view would understand.
@Suite struct MirrorDelegateTests {
  private let cells = Results<Cell>("a: x y")
  private let controller = FetchedResultsController(
    store: MemoryEventStore(), projection: NoCells(), request: ListRequest(sort: [.ascending(\Cell.rank)]))

  @Test(arguments: [
    (FetchedResultsChangeType.insert, 3 as Int?, message("the new index 3", "insert")),
    (.delete, 0, message("the new index 0", "delete")),
    (.move, nil, message("no new index", "move")),
    (.update, nil, message("no new index", "update")),
  ])
  func `a section's change with an index too many or too few is a violation`(
    type: FetchedResultsChangeType, index: Int?, sentence: String
  ) throws {
    let delegate = MirrorDelegate(cells)
    delegate.controllerWillChangeContent(controller)
    delegate.controller(
      controller, didChange: try #require(cells.first), atSectionIndex: 0, for: type, newSectionIndex: index)
    #expect(delegate.violations.contains(sentence), "\(delegate.violations)")
  }
}
