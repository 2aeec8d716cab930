import Annals
import Testing

/// Takes each call, and hands it on to a delegate that leaves most methods out.
private final class Forwarder {
  let inner: any FetchedResultsControllerDelegate<Item>
  var differences: [CollectionDifference<String>] = []

  init(_ inner: any FetchedResultsControllerDelegate<Item>) { self.inner = inner }
}

extension Forwarder: FetchedResultsControllerDelegate {
  func controller(
    _ controller: FetchedResultsController<Item>, didChangeContentWith difference: CollectionDifference<String>
  ) {
    differences.append(difference)
    inner.controller(controller, didChangeContentWith: difference)
  }
}

/// Leaves all methods out.
private final class Silent: FetchedResultsControllerDelegate {
  typealias Row = Item
}

@Suite struct ForwardingDelegateTests {
  @Test func `A delegate that hands calls on is given each difference, also if the one behind it wants none`() throws {
    let store = MemoryEventStore()
    let list = try controller(store)
    let forwarder = Forwarder(Silent())
    list.delegate = forwarder
    for number in 0..<3 { try store.put(.put(Item("\(number)", nil, number))) }
    #expect(forwarder.differences.map(\.insertions.count) == [1, 1, 1])
  }
}
