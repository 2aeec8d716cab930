import Annals
import Testing

/// What a view of SwiftUI needs of a list: ids that stay.
@Suite struct StayingIDTests {
  @Test func `the ids of sections and rows stay when a list changes`() throws {
    let store = MemoryEventStore()
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.put(Item("b", "y", 1)))
    try controller.performFetch()
    let before = controller.sections.map(\.id)
    try store.put(.put(Item("c", "x", 0)))
    try store.put(.renamed(group: "x", title: "another title"))
    #expect(controller.sections.map(\.id) == before)
    #expect(controller.sections[0].map(\.id) == ["c", "a"])
    #expect(Set(controller.sections.flatMap { $0.map(\.id) }).count == 3)
  }
}
