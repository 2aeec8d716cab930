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
}
