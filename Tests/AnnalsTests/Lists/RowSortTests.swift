import Annals
import AnnalsTesting
import Foundation
import Testing

/// Lists whose rows tie in the beginnings of their keys: each is sorted by what comes after that.
@Suite struct RowSortTests {
  private struct Titled: Row {
    var id: Int
    var title: String
    var part: String
    var number: Int
  }

  /// Titles that have long beginnings in common, end in each other's middle, and repeat.
  private static let titles = Generator<String> { draw in
    let start = try draw(
      .element(of: ["", "The ", "The title of a book, part ", String(repeating: "long ", count: 30)]))
    let middle = try draw(.element(of: ["", "a", "ab", "é", "\u{0}", "\u{0}\u{0}a", "漢字"]))
    let end = String(repeating: "m", count: try draw(.int(in: 0...20)))
    return start + middle + end + (try draw(.element(of: ["", "a", "z"])))
  }

  private static let rows = Generator<[Titled]> { draw in
    let count = try draw(.int(in: 0...120))
    return try (0..<count).map { id in
      Titled(
        id: id, title: try draw(titles), part: try draw(titles), number: try draw(.int(in: 0...2)))
    }
  }

  private func sorted(_ rows: [Titled], _ sort: [SortKey<Titled>]) -> [Int] {
    var all = Rows<Titled>()
    for row in rows { all.insert(row) }
    let ids = Results(ListRequest(sort: sort), of: all, at: 0).rows.map(\.id)
    // Several cores sort them alike.
    let parallel = PreparedRequest(ListRequest<Titled>(sort: sort), parallelFrom: 2)
    #expect(Results(parallel, of: &all, at: 0, knowing: nil).rows.map(\.id) == ids)
    return ids
  }

  private func isBefore(_ one: String, _ other: String) -> Bool {
    one.unicodeScalars.lexicographicallyPrecedes(other.unicodeScalars)
  }

  /// True for equal scalars.
  ///
  /// Two spellings of a title are equal strings, but a list sorts them.
  private func isSame(_ one: String, _ other: String) -> Bool { one.unicodeScalars.elementsEqual(other.unicodeScalars) }

  @Test func `rows with any titles stand as a plain sort puts them`() throws {
    try check(Self.rows, settings: CheckSettings(examples: 300)) { rows in
      let byTitle = rows.sorted { isBefore($0.title, $1.title) || isSame($0.title, $1.title) && $0.id < $1.id }
      #expect(sorted(rows, [.ascending(\.title)]) == byTitle.map(\.id))
      let byAll = rows.sorted { one, other in
        if one.number != other.number { return one.number > other.number }
        if !isSame(one.title, other.title) { return isBefore(other.title, one.title) }
        if !isSame(one.part, other.part) { return isBefore(one.part, other.part) }
        return one.id < other.id
      }
      #expect(
        sorted(rows, [.descending(\.number), .descending(\.title), .ascending(\.part)]) == byAll.map(\.id))
    }
  }

  @Test func `an order of your own decides where the bytes before it tie`() throws {
    try check(Self.rows, settings: CheckSettings(examples: 100)) { rows in
      let sort: [SortKey<Titled>] = [
        .ascending(\.title),
        .ascending(\.number) { $0 == $1 ? .orderedSame : $0 > $1 ? .orderedAscending : .orderedDescending },
      ]
      let expected = rows.sorted { one, other in
        if !isSame(one.title, other.title) { return isBefore(one.title, other.title) }
        return one.number != other.number ? one.number > other.number : one.id < other.id
      }
      #expect(sorted(rows, sort) == expected.map(\.id))
    }
  }

  /// Each title is the beginning of the next one, so that each step of the sort tells one row from the rest.
  @Test func `titles that go on from one another need no deep stack`() {
    let rows = (0..<2_000).map { number in
      Titled(id: number, title: String(repeating: "12345678", count: number), part: "", number: 0)
    }
    #expect(sorted(rows.reversed(), [.ascending(\.title)]) == Array(0..<2_000))
  }

  @Test func `rows whose keys are the same stand by their ids`() {
    let rows = (0..<500).map { Titled(id: $0, title: "The same title for all of them", part: "", number: 0) }
    #expect(sorted(rows.shuffled(), [.ascending(\.title)]) == Array(0..<500))
  }

  @Test func `an order that contradicts itself puts rows in the same places, however many cores there are`() throws {
    try check(Self.rows, settings: CheckSettings(examples: 100)) { rows in
      _ = sorted(
        rows,
        [
          .ascending(\.title),
          .ascending(\.id) { ($0 &* 7 &+ $1 &* 3) % 5 < 3 ? .orderedAscending : .orderedDescending },
        ])
    }
  }
}
