import Annals
import AnnalsTesting

/// A row with few different values, so that keys collide.
struct Piece: Row {
  var id: Int
  var box: Int?
  var rank: Int
  var note: Int
}

/// What happens to a list between two batches.
enum StressStep: Sendable {
  /// Events of one transaction.
  case events([StressEvent])
  case filter(Int)
  case window(offset: Int, limit: Int?)
  case sort(Int)
  case sections(Int)
  /// Hides or shows the rows of a section, or of all sections for nil.
  case collapse(box: Int?, Bool)
  /// Goes back to an earlier state, and continues from there.
  case seek(Int)
}

/// An event of the pieces.
enum StressEvent: Sendable {
  case put(Piece)
  case ranked(id: Int, Int)
  case boxed(id: Int, Int?)
  case noted(id: Int, Int)
  case removed(id: Int)
  case titled(box: Int?, Int)
  case numbered(box: Int?, Int)

  func apply(to rows: inout Rows<Piece>) {
    switch self {
    case .put(let piece): rows.insert(piece)
    case .ranked(let id, let rank): rows.update(id) { $0.rank = rank }
    case .boxed(let id, let box): rows.update(id) { $0.box = box }
    case .noted(let id, let note): rows.update(id) { $0.note = note }
    case .removed(let id): rows[id] = nil
    case .titled(let box, let title): rows.renameSection(box, of: \.box, to: "title \(title)")
    case .numbered(let box, let number): rows.numberSection(box, of: \.box, to: Double(number))
    }
  }
}

/// The histories for the lists.
enum StressHistory {
  static let sorts: [[SortKey<Piece>]] = [
    [.ascending(\.rank)], [.descending(\.rank), .ascending(\.note)], [], [.ascending(\.note)],
  ]

  static let sections: [Sectioning<Piece>?] = [
    .by(\.box), .by(\.box, order: .byTitle), .by(\.box, order: .byNumber), nil, .by("half") { $0.rank / 2 },
    .by(\.box, order: .byNumber, pinned: [1, nil, 1_000]), .by(\.box, order: .byRows),
    .by(\.box, order: .byRows.descending, pinned: [1, nil, 1_000]), .by(\.box, order: .byNumber.descending),
  ]

  /// Histories of 20 to 60 steps, in worlds of few or many ids, sections and ranks.
  static let steps: Generator<[StressStep]> = zip(
    .element(of: [4, 30, 400]), .element(of: [0, 1, 6, 100]), .element(of: [1, 4, 40])
  ).flatMap { ids, boxes, ranks in
    .array(of: step(ids, boxes, ranks), count: 20...60)
  }

  private static func step(_ ids: Int, _ boxes: Int, _ ranks: Int) -> Generator<StressStep> {
    let event = event(ids, boxes, ranks)
    func events(_ count: ClosedRange<Int>) -> Generator<StressStep> {
      Generator<[StressEvent]>.array(of: event, count: count).map { .events($0) }
    }
    let window = zip(.int(in: 0...ids / 3), .int(in: 0...ids)).map { offset, limit in
      StressStep.window(offset: offset, limit: limit > ids * 3 / 4 ? nil : limit)
    }
    return .frequency(
      (60, events(1...4)), (20, events(1...30)), (3, events(30...120)), (1, events(300...500)),
      (3, Generator<Int>.int(in: 0...3).map { .filter($0) }), (3, window),
      (2, Generator<Int>.int(in: 0...3).map { .sort($0) }),
      (2, Generator<Int>.int(in: 0...sections.count - 1).map { .sections($0) }),
      (6, Generator<Int>.int(in: 0...59).map { .seek($0) }),
      (3, zip(.int(in: -1...boxes), .bool(0.7)).map { .collapse(box: $0 < 0 ? nil : $0, $1) }))
  }

  private static func event(_ ids: Int, _ boxes: Int, _ ranks: Int) -> Generator<StressEvent> {
    let (id, rank, note) = (Generator.int(in: 0...ids), Generator.int(in: 0...ranks), Generator.int(in: 0...2))
    let box = Generator<Int>.int(in: 0...boxes).map { $0 == 0 ? nil : $0 } as Generator<Int?>
    let put = zip(id, box, rank, note).map { StressEvent.put(Piece(id: $0, box: $1, rank: $2, note: $3)) }
    return .frequency(
      (8, put), (4, zip(id, rank).map { .ranked(id: $0, $1) }), (2, zip(id, box).map { .boxed(id: $0, $1) }),
      (2, zip(id, note).map { .noted(id: $0, $1) }), (4, id.map { .removed(id: $0) }),
      (1, zip(box, .int(in: 0...5)).map { .titled(box: $0, $1) }),
      (1, zip(box, .int(in: 0...5)).map { .numbered(box: $0, $1) }))
  }
}
