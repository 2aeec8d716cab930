import Annals
import AnnalsTesting
import Foundation
import Testing

/// Lists that are made from the previous one, compared with lists that are made from all rows.
@Suite struct SharedListTests {
  /// The actions between two lists.
  enum Step: Sendable {
    case edits([Edit])
    case filter(Int)
    case window(offset: Int, limit: Int?)
    case sort(Int)
    case sections(Int)
    /// Continues from an earlier list that was kept, with its rows.
    case back(Int)
  }

  enum Edit: Sendable {
    case put(id: Int, group: Int, rank: Int)
    case remove(id: Int)
    case rename(group: Int, title: Int)
    case number(group: Int, number: Int)

    func apply(to rows: inout Rows<Item>) {
      func group(_ number: Int) -> String? { number == 0 ? nil : "g\(number)" }
      switch self {
      case .put(let id, let place, let rank):
        rows.insert(Item(id: "item \(id)", group: group(place), rank: rank, name: "\(rank % 3)"))
      case .remove(let id): rows["item \(id)"] = nil
      case .rename(let place, let title): rows.renameSection(group(place), of: \.group, to: "title \(title)")
      case .number(let place, let number): rows.numberSection(group(place), of: \.group, to: Double(number))
      }
    }
  }

  private static let edit: Generator<Edit> = {
    let (id, group) = (Generator<Int>.int(in: 0...250), Generator<Int>.int(in: 0...7))
    let put = zip(id, group, .int(in: 0...30)).map { Edit.put(id: $0, group: $1, rank: $2) }
    return .frequency(
      (12, put), (4, id.map { .remove(id: $0) }),
      (1, zip(group, .int(in: 0...4)).map { .rename(group: $0, title: $1) }),
      (1, zip(group, .int(in: 0...4)).map { .number(group: $0, number: $1) }))
  }()

  private static let step: Generator<Step> = {
    let window = zip(.int(in: 0...40), .int(in: 0...120)).map { offset, limit in
      Step.window(offset: offset, limit: limit > 100 ? nil : limit)
    }
    let few = Generator<[Edit]>.array(of: edit, count: 0...4).map { Step.edits($0) }
    let many = Generator<[Edit]>.array(of: edit, count: 20...90).map { Step.edits($0) }
    return .frequency(
      (8, few), (2, many),
      (1, Generator<Int>.int(in: 0...3).map { .filter($0) }), (1, window),
      (1, Generator<Int>.int(in: 0...3).map { .sort($0) }),
      (1, Generator<Int>.int(in: 0...sections.count - 1).map { .sections($0) }),
      (1, Generator<Int>.int(in: 0...20).map { .back($0) }))
  }()

  private static let sorts: [[SortKey<Item>]] = [
    [.ascending(\.rank)], [.descending(\.rank), .ascending(\.name)], [],
    [.ascending(\.name, by: { $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending })],
  ]

  private static let sections: [Sectioning<Item>?] = [
    .by(\.group), .by(\.group, order: .byTitle), .by(\.group, order: .byNumber), nil,
    .by("half") { $0.rank / 2 }, .by(\.group, order: .byNumber, pinned: ["g1", "empty", nil]),
    .by(\.group, order: .byRows), .by(\.group, order: .byRows.descending, pinned: ["g1", "empty", nil]),
    .by(\.name), .by(\.group, order: .byNumber.descending), .by(\.group, order: .byTitle.descending),
    .by(\.group, order: .inOrder(of: ["g3", nil, "g1", "g3"])), .by(\.rank, order: .byRows),
  ]

  @Test func `an updated list equals a list that is built from all rows, and both give the same changes`() throws {
    // From so many changes on, each section is changed in one pass.
    let wide = Generator<Int>.element(of: [0, 3, 64])
    // From so many rows on, several cores work on them; there are about 150.
    let parallel = Generator<Int>.element(of: [0, 40, 4_096])
    try check(
      .array(of: Self.step, count: 5...40), wide, parallel, settings: CheckSettings(examples: 180)
    ) { steps, wideFrom, parallelFrom in
      var rows = Rows<Item>()
      for id in 0..<150 { Edit.put(id: id, group: id % 8, rank: id % 31).apply(to: &rows) }
      var request = ListRequest<Item>(sort: Self.sorts[0], section: Self.sections[0])
      func prepared() -> PreparedRequest {
        PreparedRequest(request, wideFrom: wideFrom, parallelFrom: parallelFrom)
      }
      var list = Results(prepared(), of: &rows, at: 0, knowing: nil)
      var plain = Self.fresh(request, rows, at: 0)
      var table = MirrorTable(list)
      var kept: [(rows: Rows<Item>, at: Int)] = []
      for (number, step) in steps.enumerated() {
        switch step {
        case .edits(let edits):
          // As a long run of events does.
          if wideFrom == 0, edits.count > 20 { rows.expect(10_000) }
          for edit in edits { edit.apply(to: &rows) }
          rows.settle()
        case .filter(let rank): request.filter = rank == 0 ? nil : .where { $0.rank % 4 != rank }
        case .window(let offset, let limit): (request.offset, request.limit) = (offset, limit)
        case .sort(let index): request.sort = Self.sorts[index]
        case .sections(let index): request.section = Self.sections[index]
        case .back(let index): if !kept.isEmpty { rows = kept[index % kept.count].rows }
        }
        let next = Results(prepared(), of: &rows, at: Position(number + 1), knowing: list)
        let nextPlain = Self.fresh(request, rows, at: Position(number + 1))
        try ensureEqual(next.defects, [])
        try ensure(next == nextPlain && nextPlain == next, "the list is another")
        try Self.ensureReadsAlike(next, nextPlain)
        let (changes, wanted) = (Changes(from: list, to: next), Changes(from: plain, to: nextPlain))
        try ensureEqual(changes.sections, wanted.sections)
        try ensureEqual(changes.rows, wanted.rows)
        try table.apply(changes)
        try ensure(table.shows(next), "the table shows another list")
        (list, plain) = (next, nextPlain)
        kept.append((rows, number))
      }
    }
  }

  /// The list of a request without the keys of any other list.
  private static func fresh(_ request: ListRequest<Item>, _ rows: Rows<Item>, at position: Position) -> Results<Item> {
    var request = request
    let sort = request.sort
    request.sort = sort
    return Results(request, of: rows, at: position)
  }

  static func ensureReadsAlike(_ list: Results<Item>, _ plain: Results<Item>) throws {
    try ensureEqual(list.rows.count, plain.rows.count)
    try ensure(list.rows == plain.rows, "the rows are others")
    var flat = 0
    for (section, rows) in plain.enumerated() {
      try ensure(list[section].title == rows.title && list[section].key == rows.key, "another section at \(section)")
      try ensureEqual(list.sectionIndex(forKey: rows.key), section)
      for (index, row) in rows.enumerated() {
        try ensureEqual(list[section][index], row)
        try ensureEqual(list.rows[flat], row)
        try ensureEqual(list.path(forID: row.id), RowPath(section: section, row: index))
        flat += 1
      }
    }
    for id in 0..<20 where plain.path(forID: "item \(id)") == nil {
      try ensureEqual(list.path(forID: "item \(id)"), nil)
    }
  }
}
