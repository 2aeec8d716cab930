import Annals
import Testing

@Suite struct PositionTests {
  private struct Entry: Annals.Row {
    let id: Position
    var text: String
  }

  private struct Diary: Projection {
    typealias Event = ItemEvent
    typealias Row = Entry

    func project(_ event: ItemEvent, into rows: inout Rows<Entry>) {}

    func project(_ recorded: Recorded<ItemEvent>, into rows: inout Rows<Entry>) {
      rows.insert(Entry(id: recorded.position, text: "\(recorded.event)"))
    }
  }

  @Test func `A row can have the position of its event as its id`() throws {
    let store = MemoryEventStore()
    for number in 1...12 { try store.put(.put(Item("\(number)", nil, number))) }
    let list = FetchedResultsController(
      store: store, projection: Diary(), request: ListRequest(sort: [.descending(\.id)]), cacheName: "diary")
    try list.performFetch()
    #expect(list.fetchedObjects.map(\.id) == (1...12).reversed().map { Position($0) })
    #expect(
      list.results.row(at: RowPath(section: 0, row: 0))?.id == 12
        && list.results.row(forID: 3)?.text.contains("\"3\"") == true)
    try list.saveCache()
    let again = FetchedResultsController(
      store: store, projection: Diary(), request: ListRequest(sort: [.descending(\.id)]), cacheName: "diary")
    try again.performFetch()
    #expect(again.cacheReport.restored == 12 && again.results == list.results)
  }

  @Test func `Positions are keys of sections, in the order of their numbers`() throws {
    var rows = Rows<Entry>()
    for number in [9, 10, 1, 200] { rows.insert(Entry(id: Position(number), text: "")) }
    let list = Results(ListRequest<Entry>(section: .by(\.id)), of: rows, at: 0)
    #expect(list.map(\.key) == [1, 9, 10, 200])
  }

  @Test(arguments: [(0, 0, 0), (5, 3, 8), (5, -5, 0), (.max, 0, .max), (0, .max, .max), (.max, -.max, 0)])
  func `a position is advanced by a number of events`(from: Int, distance: Int, to: Int) {
    #expect(Position(from).advanced(by: distance) == Position(to))
  }

  #if os(macOS) || os(Linux)
    @Test func `a position is not advanced below the first or above the largest one`() async {
      let below = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Position(2).advanced(by: -3)
      }
      let above = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Position(2).advanced(by: .max)
      }
      #if DEBUG
        func output(_ result: ExitTest.Result?) -> String {
          String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        }
        #expect(output(below).contains("position 2 can't be advanced by -3, because a position must be at least 0"))
        #expect(
          output(above).contains(
            "position 2 can't be advanced by \(Int.max), because the number is too large"))
      #endif
    }
  #endif
}
