import Annals
import AnnalsTesting
import Testing

/// Anything that a user may do to a controller, in any order, against lists that are made from the events alone.
@Suite struct ControllerMachineTests {
  private static let requests: [FetchRequest<Item>] = [
    FetchRequest(sort: [.ascending(\.rank)], section: .by(\.group)),
    FetchRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byNumber)),
    FetchRequest(sort: [.ascending(\.name), .ascending(\.rank)]),
    FetchRequest(
      filter: .where { $0.rank != 1 }, sort: [.ascending(\.rank)], section: .by(\.group, order: .byTitle), limit: 5,
      offset: 1),
    FetchRequest(sort: [.ascending(\.rank)], section: .by(\.name, statically: ["q", "never"])),
  ]

  private struct World {
    let store = MemoryEventStore()
    var history: [Rows<Item>] = [Rows()]
    var random: SplitMix

    mutating func commit() throws {
      let events = (0..<random.next(upTo: 6) + 1).map { _ in random.event() }
      for event in events {
        var rows = history[history.count - 1]
        try Items().project(event, into: &rows)
        history.append(rows)
      }
      try store.put(events)
    }
  }

  @Test(arguments: 0..<24) func `a controller shows what its events, its request and its place in time say`(seed: Int)
    throws
  {
    var world = World(random: SplitMix(seed: UInt64(seed)))
    for _ in 0..<seed % 4 { try world.commit() }
    var request = 0
    let controller = try controller(world.store, Self.requests[0])
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    let moves: [ReportedMoves] = [.rows, [], .sections, [.rows, .sections]]
    controller.reportedMoves = moves[seed % 4]
    var table = MirrorTable(controller.results)
    var last = controller.results
    var faults: [String] = []
    let observation = controller.observe { changes in
      if changes.from != last.position || changes.old != last { faults.append("a batch begins elsewhere") }
      if changes.isEmpty { faults.append("an empty batch is delivered") }
      do { try table.apply(changes) } catch { faults.append("\(error)") }
      last = changes.new
    }
    var place: Int?
    for _ in 0..<150 {
      switch world.random.next(upTo: 12) {
      case 0...4: try world.commit()
      case 5, 6:
        let position = world.random.next(upTo: world.history.count)
        try controller.seek(to: Position(position))
        place = position
      case 7:
        try controller.resume()
        place = nil
      case 8:
        request = world.random.next(upTo: Self.requests.count)
        try controller.update { $0 = Self.requests[request] }
      case 9: controller.suspendDelivery()
      case 10: controller.resumeDelivery()
      default: controller.refresh()
      }
      if !controller.isDeliverySuspended {
        let position = place ?? world.history.count - 1
        let list = Results(Self.requests[request], of: world.history[position], at: Position(position))
        try #require(controller.results == list)
        try #require(controller.position == list.position)
      }
      try #require(delegate.violations == [])
      try #require(faults == [])
      try #require(delegate.table.shows(controller.results))
      try #require(table.shows(controller.results))
    }
    observation.cancel()
  }
}
