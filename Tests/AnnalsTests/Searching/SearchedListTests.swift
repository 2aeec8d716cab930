import Annals
import AnnalsTesting
import Testing

/// Lists that are searched while rows come, go and change: by an index, without one, and beside other lists.
@Suite struct SearchedListTests {
  private enum Step: Sendable {
    case events([ItemEvent])
    case type(list: Int, text: String, isJoined: Bool)
    case sort(list: Int, isDescending: Bool)
    case section(list: Int, order: Int)
    case aggregates(list: Int, isOn: Bool)
    case limit(list: Int, Int?)
  }

  /// Words of a few letters, so that some rows have what is typed, and most have not.
  private static func words(_ letters: ClosedRange<Int>, _ count: ClosedRange<Int>) -> Generator<String> {
    let word = Generator.array(of: .element(of: ["a", "b", "c", "d", "\u{C4}"]), count: letters).map { $0.joined() }
    return Generator.array(of: word, count: count).map { $0.joined(separator: " ") }
  }

  private static var step: Generator<Step> {
    let list = Generator<Int>.int(in: 0...2)
    let event = Generator<ItemEvent>.frequency(
      (
        4,
        zip(.int(in: 0...30), .int(in: 0...3), .int(in: 0...4), words(2...5, 0...2)).map {
          .put(Item("\($0)", "g\($1)", $2, $3))
        }
      ), (1, Generator.int(in: 0...30).map { .removed(id: "\($0)") }),
      (1, zip(.int(in: 0...3), .element(of: ["z", "", "g2"])).map { .renamed(group: "g\($0)", title: $1) }))
    return .frequency(
      (4, Generator.array(of: event, count: 1...6).map(Step.events)),
      (6, zip(list, words(1...4, 0...2), .bool(0.3)).map { .type(list: $0, text: $1, isJoined: $2) }),
      (1, zip(list, .bool(0.5)).map { .sort(list: $0, isDescending: $1) }),
      (1, zip(list, .int(in: 0...2)).map { .section(list: $0, order: $1) }),
      (1, zip(list, .bool(0.5)).map { .aggregates(list: $0, isOn: $1) }),
      (1, zip(list, .element(of: [nil, 3])).map { .limit(list: $0, $1) }))
  }

  private static let orders: [Sectioning<Item>?] = [
    nil, .by(\.group), .by(\.group, order: .byRows),
  ]

  /// How a list of the same rows is made anywhere: each filter is a closure of its own.
  private struct Plain {
    var filter: RowFilter<Item>?
    var request: ListRequest<Item>

    func list(_ rows: Rows<Item>) -> Results<Item> {
      var request = request
      request.filter = filter
      return Results(request, of: rows, at: 0)
    }
  }

  @Test(arguments: [SearchMatching.wordBeginnings, .anywhere])
  func `a list shows what its search says, whatever it looked at before`(matching: SearchMatching) throws {
    let steps = Generator.array(of: Self.step, count: 5...60)
    var narrowed = 0
    try check(steps, settings: CheckSettings(examples: 300, maxChoices: 20_000)) { steps in
      let store = MemoryEventStore(environment: .quiet)
      let search = TextSearch<Item>(matching, in: \.name)
      let low = RowFilter<Item>.where { $0.rank < 3 }
      var model = Rows<Item>()
      var plain = (0..<3).map { _ in Plain(request: ListRequest(sort: [.ascending(\.rank)])) }
      // The first two have an index; the first and the third share their rows, and so do the trees of lists.
      let lists = try (0..<3).map { number in
        var request = plain[number].request
        if number < 2 { request.searchIndex = search }
        let list = FetchedResultsController(store: store, projection: Items(), request: request)
        try list.performFetch()
        return list
      }
      let delegates = lists.map { MirrorDelegate($0.results) }
      for (list, delegate) in zip(lists, delegates) { list.delegate = delegate }
      for step in steps {
        switch step {
        case .events(let events):
          try store.put(events)
          for event in events { try Items().project(event, into: &model) }
        case .type(let list, let text, let isJoined):
          let before = lists[list].fetchedObjects.count
          try lists[list].update { $0.filter = isJoined ? low && search.filter(text) : search.filter(text) }
          if lists[list].fetchedObjects.count < before { narrowed += 1 }
          plain[list].filter = .where { row in
            search.filter(text).includes(row) && (!isJoined || row.rank < 3)
          }
        case .sort(let list, let isDescending):
          let sort = isDescending ? SortKey<Item>.descending(\.name) : .ascending(\.rank)
          try lists[list].update { $0.sort = [sort] }
          plain[list].request.sort = [sort]
        case .section(let list, let order):
          try lists[list].update { $0.section = Self.orders[order] }
          plain[list].request.section = Self.orders[order]
        case .aggregates(let list, let isOn):
          let aggregates: [Aggregate<Item>] = isOn ? [.count, .sum(\.rank)] : []
          try lists[list].update { $0.aggregates = aggregates }
          plain[list].request.aggregates = aggregates
        case .limit(let list, let limit):
          try lists[list].update { $0.limit = limit }
          plain[list].request.limit = limit
        }
        for (number, list) in lists.enumerated() {
          let expected = plain[number].list(model)
          try ensure(list.results == expected, "list \(number) after \(step): \(list.results), not \(expected)")
          try ensureEqual(delegates[number].violations, [])
          try ensure(delegates[number].table.shows(list.results), "the table of list \(number) after \(step)")
        }
      }
    }
    #expect(isQuickLook || narrowed > 100)
  }
}
