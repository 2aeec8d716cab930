import Annals
import AnnalsTesting
import Testing

private struct NoEvent: Codable {}

extension NoEvent: Event {}

private struct NoCells: Projection {
  func project(_ event: NoEvent, into rows: inout Rows<Cell>) {}
}

/// What a delegate notes of calls that no table view would understand.
@Suite struct MirrorDelegateTests {
  private let cells = Results<Cell>("a: x y")
  private let controller = FetchedResultsController(
    store: MemoryEventStore(), projection: NoCells(), request: ListRequest(sort: [.ascending(\Cell.rank)]))

  @Test(arguments: [
    (FetchedResultsChangeType.insert, 3 as Int?, "a section change of type insert with the new index Optional(3)"),
    (.delete, 0, "a section change of type delete with the new index Optional(0)"),
    (.move, nil, "a section change of type move with the new index nil"),
    (.update, nil, "a section change of type update with the new index nil"),
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
