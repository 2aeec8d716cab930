import Annals
import Foundation
import Testing

@Suite struct RowFilterTests {
  private let low = RowFilter<Item>.where("low") { $0.rank < 3 }
  private let named = RowFilter<Item>.where("named") { !$0.name.isEmpty }
  private let unnamed = RowFilter<Item>.where { $0.rank == 2 }

  private let items = (0..<8).map { Item("\($0)", nil, $0 / 2, $0 % 2 == 0 ? "" : "n") }

  private func ids(_ filter: RowFilter<Item>) -> [String] {
    var rows = Rows<Item>()
    for item in items { rows.insert(item) }
    return Results(ListRequest(filter: filter), of: rows, at: 0).rows.map(\.id)
  }

  @Test func `Filters are combined as conditions are`() {
    #expect(ids(low && named) == items.filter { $0.rank < 3 && !$0.name.isEmpty }.map(\.id))
    #expect(ids(low || named) == items.filter { $0.rank < 3 || !$0.name.isEmpty }.map(\.id))
    #expect(ids(!low) == items.filter { $0.rank >= 3 }.map(\.id))
    #expect(
      ids(!(low && named) || unnamed) == items.filter { !($0.rank < 3 && !$0.name.isEmpty) || $0.rank == 2 }.map(\.id))
  }

  @Test func `A combined filter has a name if its parts have, and no other filter has it`() {
    #expect((low && unnamed).name == nil && (unnamed || low).name == nil && (!unnamed).name == nil)
    let a = RowFilter<Item>.where("a") { _ in true }
    let tricky = RowFilter<Item>.where(#"a" and "b"#) { _ in true }
    let filters = [
      a, low, tricky, a && low, low && a, a || low, !a, !(!a), !(a && low), !a && low, a && (low && a), (a && low) && a,
      a && tricky, tricky && a, (a && low) || a, a && (low || a),
    ]
    #expect(Set(filters.map { $0.name ?? "" }).count == filters.count)
  }

  @Test func `A list is filtered by the words that a user types`() throws {
    let store = MemoryEventStore()
    let titles = ["Dream of the Red Chamber", "Water Margin", "The Red and the Black"]
    try store.put(titles.enumerated().map { .put(Item("\($0)", nil, $0, $1)) })
    let controller = try controller(store, ListRequest(sort: [.ascending(\.rank)]))

    func search(_ text: String) throws {
      let words = text.split(separator: " ").map { word in
        RowFilter<Item>.where("name has \(word)") { $0.name.localizedCaseInsensitiveContains(word) }
      }
      try controller.update {
        $0.filter = words.dropFirst().reduce(words.first) { filter, word in filter.map { $0 && word } }
      }
    }
    try search("red the")
    #expect(controller.fetchedObjects.map(\.id) == ["0", "2"])
    try search("red black")
    #expect(controller.fetchedObjects.map(\.id) == ["2"])
    try search("")
    #expect(controller.fetchedObjects.count == 3)
  }

  @Test func `Predicates that are chosen at run time are combined as filters are`() {
    // What a user chose in two menus.
    let (limit, letter) = (2, "n")
    let isHigh = RowFilter<Item>.matching(#Predicate { $0.rank >= limit }, named: "at least \(limit)")
    let hasLetter = RowFilter<Item>.matching(#Predicate { $0.name.contains(letter) }, named: "has \(letter)")
    #expect(ids(isHigh && hasLetter) == ["5", "7"])
    #expect((isHigh && hasLetter).name == #""at least 2" and "has n""#)
  }
}
