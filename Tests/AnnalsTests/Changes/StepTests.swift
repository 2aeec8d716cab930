import Annals
import AnnalsTesting
import Foundation
import Testing

/// Changes from the known steps of a list, compared with those from a full comparison.
@Suite struct StepTests {
  private static let requests: [ListRequest<Item>] = [
    .byGroup, ListRequest(sort: [.ascending(\.name), .descending(\.rank)]),
    ListRequest(filter: .where { $0.rank % 2 == 0 }, sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(
      sort: [.ascending(\.name, by: { $0 == $1 ? .orderedSame : $0 > $1 ? .orderedAscending : .orderedDescending })],
      section: .by(\.group, order: .byTitle)),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), limit: 5, offset: 2),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), limit: 6),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, pinned: ["a", "z"])),
    ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byRows)),
    ListRequest(
      sort: [.ascending(\.name, by: { $0 == $1 ? .orderedSame : $0 > $1 ? .orderedAscending : .orderedDescending })],
      section: .by(\.group, order: .byRows)),
  ]

  @Test(arguments: requests.indices)
  func `what is known of a list's making tells the changes that a comparison finds`(index: Int) throws {
    let prepared = PreparedRequest(Self.requests[index])
    let histories = Generator<[[ItemEdit]]>.array(of: .itemBatch, count: 10...60)
    try check(histories, settings: CheckSettings(examples: 60)) { batches in
      var rows = Rows<Item>()
      var list = Results(prepared, of: &rows, at: 0, knowing: nil)
      for (number, batch) in batches.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        // The same rows, without a record of the changes.
        var others = rows
        let next = Results(prepared, of: &rows, at: Position(number + 1), knowing: list)
        let compared = Results(prepared, of: &others, at: Position(number + 1), knowing: nil)
        try ensureEqual(next.map { Array($0) }, compared.map { Array($0) })
        let (known, found) = (Changes(from: list, to: next), Changes(from: list, to: compared))
        try ensureEqual("\(known.sections)", "\(found.sections)")
        try ensureEqual("\(known.rows)", "\(found.rows)")
        try ensureEqual(next.defects, [])
        list = next
      }
    }
  }

  @Test func `a list that was made of another one is not taken for the one before`() {
    let prepared = PreparedRequest(ListRequest<Item>.byGroup)
    var rows = Rows<Item>()
    for number in 0..<9 { rows.insert(Item("\(number)", "a", number)) }
    let first = Results(prepared, of: &rows, at: 1, knowing: nil)
    rows.update("3") { $0.rank = 20 }
    let second = Results(prepared, of: &rows, at: 2, knowing: first)
    rows.update("4") { $0.name = "new" }
    let third = Results(prepared, of: &rows, at: 3, knowing: second)
    #expect(Changes(from: first, to: third).rows.count == 2)
    #expect(Changes(from: second, to: third).rows.count == 1)
    #expect(Changes(from: third, to: second).rows.count == 1)
    #expect(Changes(from: first, to: second).rows.count == 1)
    rows.update("6") { $0.rank = 30 }
    let skipping = Results(prepared, of: &rows, at: 4, knowing: first)
    #expect(Changes(from: first, to: skipping).rows.count == 3 && skipping.defects == [])
    // If more rows changed than are remembered, the lists are compared.
    for rank in 0..<300 { rows.update("5") { $0.rank = rank } }
    let last = Results(prepared, of: &rows, at: 5, knowing: skipping)
    #expect(Changes(from: skipping, to: last).rows.count == 1)
  }
}
