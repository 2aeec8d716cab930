import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Work that several cores do at once.
@Suite struct ParallelTests {
  @Test func `parts are all of the rows, in order, and none is empty`() throws {
    try check(.int(in: 0...200_000), .int(in: 0...300_000), settings: CheckSettings(examples: 200)) {
      count, threshold in
      let parts = Parallel.parts(of: count, threshold: threshold)
      #expect(parts.first?.lowerBound ?? 0 == 0 && parts.last?.upperBound ?? 0 == count)
      #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      #expect(parts.allSatisfy { !$0.isEmpty } && parts.count <= 32)
      #expect(count < 2 || (parts.count > 1) == (count >= threshold))
    }
  }

  @Test func `what is made is what one thread makes, each thing once`() throws {
    let sizes = Generator<[Int]>.array(of: .element(of: [0, 1, 3, 500, 5_000]), count: 0...200)
    try check(sizes, .element(of: [0, 1, 2_000, 1_000_000]), .bool, settings: CheckSettings(examples: 200)) {
      sizes, threshold, leavesCore in
      let calls = Mutex(Array(repeating: 0, count: sizes.count))
      let made = Parallel.$leavesCore.withValue(leavesCore) {
        Parallel.map(sizes.count, threshold: threshold, rows: { sizes[$0] }) { index in
          calls.withLock { $0[index] += 1 }
          return "\(index): \(sizes[index])"
        }
      }
      #expect(made == sizes.enumerated().map { "\($0): \($1)" })
      #expect(calls.withLock { $0.allSatisfy { $0 == 1 } })
    }
  }

  @Test func `what is made by several is put together in order, with fewer elements than announced`() throws {
    let sizes = Generator<[Int]>.array(of: .element(of: [0, 1, 3, 50]), count: 0...100)
    try check(sizes, .element(of: [0, 1, 100, 1_000_000]), .int(in: 1...4), settings: CheckSettings(examples: 200)) {
      sizes, threshold, step in
      // Strings that are no literals are counted by references.
      let made: [String] = Parallel.flatMap(sizes.count, threshold: threshold, most: { sizes[$0] }) { index, take in
        for number in stride(from: 0, to: sizes[index], by: step) { take("thing \(index), element \(number)") }
      }
      let expected = sizes.enumerated().flatMap { index, size in
        stride(from: 0, to: size, by: step).map { "thing \(index), element \($0)" }
      }
      #expect(made == expected)
    }
  }

  /// A part that makes a list of its own, as a closure of an app may.
  @Test func `work inside work comes to its end`() {
    let made = Parallel.map(8, threshold: 0, rows: { _ in 1 }) { outer in
      Parallel.map(8, threshold: 0, rows: { _ in 1 }) { outer * 8 + $0 }
    }
    #expect(made.flatMap { $0 } == Array(0..<64))
  }

  private struct Ware: Row {
    var id: Int
    var title: String
    var shelf: Int
  }

  /// As many rows as several cores work on without being asked to.
  @Test(arguments: [nil, 1, 7, 5_000])
  func `a long list that gets another order shows what a short way makes, and so do its changes`(shelves: Int?) {
    let count = Parallel.threshold + 1_000
    var rows = Rows<Ware>()
    for id in 0..<count {
      let title = "A title of a ware, number \(id * 7_919 % count)"
      rows.insert(Ware(id: id, title: title, shelf: id % (shelves ?? 1)))
    }
    var request = ListRequest<Ware>(sort: [.descending(\.id)], section: shelves == nil ? nil : .by(\.shelf))
    let before = Results(PreparedRequest(request), of: &rows, at: 1, knowing: nil)
    for id in stride(from: 0, to: count, by: 3) { rows[id]?.shelf += 1 }
    request.sort = [.ascending(\.title)]
    let after = Results(PreparedRequest(request), of: &rows, at: 2, knowing: before)
    #expect(before.defects == [] && after.defects == [])
    let alone = Results(PreparedRequest(request, parallelFrom: .max), of: &rows, at: 2, knowing: nil)
    #expect(after == alone)
    let expected = rows.all.sorted { one, other in
      if shelves != nil, one.shelf != other.shelf { return one.shelf < other.shelf }
      return one.title != other.title ? one.title < other.title : one.id < other.id
    }
    #expect(after.rows.map(\.id) == expected.map(\.id))
    var table = MirrorTable(before)
    #expect(throws: Never.self) { try table.apply(Changes(from: before, to: after)) }
    #expect(table.shows(after))
  }

  /// So many that a table of the rows is put in order, and a tree changed, by several cores.
  @Test(arguments: [0, 6_000])
  func `what many events set and take out is what each of them does alone`(count: Int) throws {
    var one = Rows<Ware>()
    for id in 0..<count { one.insert(Ware(id: id, title: "title \(id)", shelf: id % 9)) }
    var many = one
    many.expect(20_000)
    func change(_ rows: inout Rows<Ware>) {
      for number in 0..<20_000 {
        let id = number * 7_919 % 11_003
        if number % 3 == 0 { rows[id] = nil } else { rows[id] = Ware(id: id, title: "title \(number)", shelf: id % 7) }
      }
    }
    change(&one)
    change(&many)
    many.settle()
    #expect(many.all == one.all && many.count == one.count && many.count > Parallel.threshold)
    let request = PreparedRequest(ListRequest<Ware>(sort: [.ascending(\.title)], section: .by(\.shelf)))
    let lists = (Results(request, of: &one, at: 1, knowing: nil), Results(request, of: &many, at: 1, knowing: nil))
    #expect(lists.0 == lists.1 && lists.1.defects == [])
  }
}
