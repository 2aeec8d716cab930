import Annals
import AnnalsTesting
import Testing

/// The cases that lists of table views often get wrong.
@Suite struct NastyCaseTests {
  struct Point: Row {
    var id: String
    var group: String?
    var value: Double
    var text = ""
  }

  private static let byGroup = ListRequest<Point>(sort: [.ascending(\.value)], section: .by(\.group))
  private static let byText = ListRequest<Point>(sort: [.ascending(\.text)])

  /// The changes of an edit of rows, accepted by a strict table.
  private func changes(
    _ points: [Point], _ request: ListRequest<Point> = byGroup, edit: (inout Rows<Point>) -> Void
  ) throws -> Changes<Point> {
    var rows = Rows<Point>()
    for point in points { rows.insert(point) }
    let prepared = PreparedRequest(request)
    let old = Results(prepared, of: &rows, at: 0, knowing: nil)
    edit(&rows)
    let changes = Changes(from: old, to: Results(prepared, of: &rows, at: 1, knowing: old))
    var table = MirrorTable(old)
    try table.apply(changes)
    #expect(table.shows(changes.new))
    return changes
  }

  @Test func `a row moves if its section changes, even if its place among all rows stays the same`() throws {
    let changes = try changes([
      Point(id: "a", group: "x", value: 1), Point(id: "b", group: "x", value: 2), Point(id: "c", group: "y", value: 3),
    ]) { $0["b"]?.group = "y" }
    #expect(changes.sections == [])
    #expect(
      changes.rows == [
        .move(
          row: Point(id: "b", group: "y", value: 2), from: RowPath(section: 0, row: 1), to: RowPath(section: 1, row: 0),
          contentChanged: true)
      ])
  }

  @Test func `the only row of a section that goes to a new section takes both sections along`() throws {
    let changes = try changes([Point(id: "a", group: "x", value: 1), Point(id: "b", group: "y", value: 1)]) {
      $0["a"]?.group = "z"
    }
    #expect(changes.sections == [.delete(index: 0, key: "x"), .insert(index: 1, key: "z", title: "z")])
    #expect(
      changes.rows == [
        .delete(row: Point(id: "a", group: "x", value: 1), at: RowPath(section: 0, row: 0), moved: true),
        .insert(row: Point(id: "a", group: "z", value: 1), at: RowPath(section: 1, row: 0), moved: true),
      ])
  }

  @Test func `a row that is inserted and deleted in one batch is not reported`() throws {
    let changes = try changes([Point(id: "a", value: 1)]) { rows in
      rows.insert(Point(id: "b", value: 2))
      rows["b"] = nil
    }
    #expect(changes.isEmpty)
  }

  @Test func `a row that is deleted and inserted again in one batch is what it was, an update or a move`() throws {
    let points = [Point(id: "a", value: 1), Point(id: "b", value: 2)]
    func again(_ point: Point) throws -> [RowChange<Point>] {
      try changes(points) { rows in
        rows["a"] = nil
        rows.insert(point)
      }.rows
    }
    let start = RowPath(section: 0, row: 0)
    #expect(try again(points[0]) == [])
    let renamed = Point(id: "a", value: 1, text: "new")
    #expect(try again(renamed) == [.update(row: renamed, at: start, newAt: start)])
    let later = Point(id: "a", value: 3)
    #expect(
      try again(later) == [.move(row: later, from: start, to: RowPath(section: 0, row: 1), contentChanged: true)])
  }

  @Test func `setting a value to its old value isn't a change`() throws {
    #expect(try changes([Point(id: "a", value: 1)]) { $0["a"]?.value = 1 }.isEmpty)
  }

  @Test func `two rows that change places are one move, and never one to its own path`() throws {
    let changes = try changes([
      Point(id: "a", value: 1), Point(id: "b", value: 2), Point(id: "c", value: 3),
    ]) { rows in
      rows["b"]?.value = 3
      rows["c"]?.value = 2
    }
    let moves = changes.rows.compactMap { if case .move(_, let from, let to, _) = $0 { (from, to) } else { nil } }
    #expect(moves.count == 1 && moves.allSatisfy { $0.0 != $0.1 })
    #expect(changes.rows.count == 2, "the other one is an update")
  }

  @Test func `if the library can choose which rows move, it chooses the rows that get a different path`() throws {
    let points = (0..<3).map { Point(id: "\($0)", value: Double($0)) }
    let changes = try changes(points) { rows in
      for number in 0..<3 { rows["\(number)"]?.value = 10 - Double(number) }
    }
    // In reverse order, any of the three could stay. If it is not the middle one, the middle one moves from its path to
    // the same path.
    #expect(changes.new.rows.map(\.id) == ["2", "1", "0"])
    #expect(changes.rows.filter { if case .move = $0 { true } else { false } }.count == 2)
    #expect(changes.rows.count == 3)
  }

  @Test func `a large section moves if it changes places with a small section that has row changes`() throws {
    let request = ListRequest<Point>(sort: [.ascending(\.value)], section: .by(\.group, order: .byNumber))
    let points = (0..<12).map { Point(id: "\($0)", group: $0 < 10 ? "large" : "small", value: Double($0)) }
    let changes = try changes(points, request) { rows in
      rows.numberSection("small", of: \.group, to: 1)
      rows["10"] = nil
    }
    #expect(changes.sections == [.move(from: 0, to: 1, key: "large")])
    #expect(changes.rows.count == 1)
  }

  @Test func `limit and offset show what an array's would`() throws {
    let points = (0..<20).map { Point(id: "\($0)", group: "\($0 / 4)", value: Double($0 % 4)) }
    let all = points.map { ($0.group ?? "", $0.id) }.sorted { $0.0 < $1.0 }.map(\.1)
    var request = Self.byGroup
    for offset in 0...21 {
      for limit in [0, 1, 3, 4, 5, 11, 30, nil] {
        (request.offset, request.limit) = (offset, limit)
        var rows = Rows<Point>()
        for point in points { rows.insert(point) }
        let list = Results(request, of: rows, at: 0)
        let wanted = all.dropFirst(offset).prefix(limit ?? .max)
        #expect(list.rows.map(\.id) == Array(wanted))
        #expect(list.flatMap { $0 }.map(\.id) == Array(wanted))
        #expect(list.allSatisfy { !$0.isEmpty })
      }
    }
  }

  @Test func `a pinned section is shown even if all its rows are outside limit and offset`() throws {
    var request = ListRequest<Point>(
      sort: [.ascending(\.value)], section: .by(\.group, pinned: ["0", "3", "9"]), limit: 3, offset: 5)
    var rows = Rows<Point>()
    for number in 0..<16 { rows.insert(Point(id: "\(number)", group: "\(number / 4)", value: Double(number))) }
    func list() -> [String] { Results(request, of: rows, at: 0).map { "\($0.title): \($0.map(\.id))" } }
    #expect(list() == ["0: []", "1: [\"5\", \"6\", \"7\"]", "3: []", "9: []"])
    request.limit = 0
    #expect(list() == ["0: []", "3: []", "9: []"])
  }

  @Test func `no number comes last, both zeros are one key, and equal keys keep the ids' order`() throws {
    let points = [
      Point(id: "nan", value: .nan), Point(id: "-0", value: -0.0), Point(id: "0", value: 0.0),
      Point(id: "inf", value: .infinity), Point(id: "-inf", value: -.infinity), Point(id: "b", value: 1),
      Point(id: "a", value: 1),
    ]
    var rows = Rows<Point>()
    for point in points { rows.insert(point) }
    let prepared = PreparedRequest(Self.byGroup)
    let old = Results(prepared, of: &rows, at: 0, knowing: nil)
    #expect(old.rows.map(\.id) == ["-inf", "-0", "0", "a", "b", "inf", "nan"])
    // Without a table, because no table shows a row that is not equal to itself.
    rows["-0"]?.value = 0.0
    #expect(Changes(from: old, to: Results(prepared, of: &rows, at: 1, knowing: old)).isEmpty, "-0.0 equals 0.0")
    rows["nan"]?.value = 0.5
    let changes = Changes(from: old, to: Results(prepared, of: &rows, at: 2, knowing: old))
    #expect(changes.rows.count == 1 && changes.new.rows.map(\.id) == ["-inf", "-0", "0", "nan", "a", "b", "inf"])
  }

  @Test func `canonically equal strings with different scalars are two keys and two ids`() throws {
    let (one, two) = ("\u{e9}", "e\u{301}")
    let changes = try changes([Point(id: one, group: one, value: 1), Point(id: two, group: two, value: 1)]) { rows in
      rows[one]?.value = 2
    }
    #expect(changes.old.map(\.key) == [.string(two), .string(one)])
    #expect(changes.rows.count == 1)
    let sorted = try self.changes(
      [Point(id: "1", value: 0, text: one), Point(id: "2", value: 0, text: two)], Self.byText
    ) { _ in }
    #expect(sorted.new.rows.map(\.id) == ["2", "1"])
  }

  @Test func `sections vanish, arrive and exchange rows in one batch`() throws {
    // Sections are deleted, inserted and kept, while rows move between all of them. Many diffing libraries fail here.
    let points = (0..<9).map { Point(id: "\($0)", group: ["a", "b", "c"][$0 % 3], value: Double($0)) }
    let changes = try changes(points) { rows in
      for id in ["0", "3"] { rows[id]?.group = "b" }
      rows["6"]?.group = "d"
      rows["1"]?.group = "c"
      rows["4"] = nil
      rows["8"]?.value = -1
      rows.insert(Point(id: "9", group: "e", value: 4))
    }
    #expect(changes.new.map(\.count) == [3, 4, 1, 1])
    #expect(changes.sections.count == 3)
  }

  @Test func `a deletion before a moved row, an update after it and an insertion between are one batch`() throws {
    let points = (0..<6).map { Point(id: "\($0)", value: Double($0)) }
    let changes = try changes(points) { rows in
      rows["0"] = nil
      rows["4"]?.value = 0.5
      rows["5"]?.text = "new"
      rows.insert(Point(id: "6", value: 1.5))
    }
    #expect(changes.rows.count == 4)
    #expect(changes.new.rows.map(\.id) == ["4", "1", "6", "2", "3", "5"])
  }

  @Test func `a hundred times everything changes in ten sections of ten rows`() throws {
    let fate = zip(.int(in: 0...9), .int(in: 0...9), .int(in: 0...4))
    try check(.array(of: fate, count: 100), settings: CheckSettings(examples: 100)) { fates in
      let points = (0..<100).map { Point(id: "\($0)", group: "\($0 / 10)", value: Double($0 % 10)) }
      _ = try changes(points) { rows in
        for (number, (group, value, kind)) in fates.enumerated() {
          switch kind {
          case 0: rows["\(number)"] = nil
          case 1: rows["\(number)"]?.text = "new"
          default:
            rows["\(number)"]?.group = "\(group)"
            rows["\(number)"]?.value = Double(value)
          }
        }
      }
    }
  }

  @Test func `a list that is kept is not touched by what comes after`() throws {
    var rows = Rows<Point>()
    for number in 0..<500 { rows.insert(Point(id: "\(number)", group: "\(number % 7)", value: Double(number % 50))) }
    let prepared = PreparedRequest(Self.byGroup)
    let first = Results(prepared, of: &rows, at: 0, knowing: nil)
    let copy = first.map { Array($0) }
    var list = first
    for number in 0..<2_000 {
      rows.update("\(number * 17 % 500)") { $0.value = Double(number % 90) }
      if number.isMultiple(of: 5) { rows["\(number * 31 % 500)"] = nil }
      list = Results(prepared, of: &rows, at: Position(number + 1), knowing: list)
    }
    #expect(first.map { Array($0) } == copy)
    #expect(first.defects == [] && list.defects == [])
  }
}
