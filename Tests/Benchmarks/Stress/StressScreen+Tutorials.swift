import Annals
import AnnalsSamples
import Foundation

extension StressScreen {
  /// A number as a text with the same order.
  private static func text(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// By rank, by rank backwards and note, by nothing, by note.
  private static func order(_ sort: Int, _ piece: Piece) -> [Int] {
    switch sort {
    case 0: [piece.rank]
    case 1: [-piece.rank, piece.note]
    case 2: []
    default: [piece.note]
    }
  }

  static func bookshop(_ store: some EventStore) throws -> Self {
    let row = { (piece: Piece) in Book(text(piece.id), text(piece.note), Double(piece.rank)) }
    let mapping = Mapping<Book>(
      row: row, rank: { Int($0.price) },
      sorts: [[.ascending(\.price)], [.descending(\.price), .ascending(\.title)], [], [.ascending(\.title)]],
      order: order)
    return try Self(BookshopScreen(store), mapping) { event, piece -> [BookEvent] in
      switch (event, piece) {
      case (.ranked(let id, let rank), _?): [.repriced(id: text(id), to: Double(rank))]
      case (.removed(let id), _): [.withdrawn(id: text(id))]
      case (_, let piece?): [.stocked(row(piece))]
      default: []
      }
    }
  }

  static func team(_ store: some EventStore) throws -> Self {
    let row = { (piece: Piece) in
      Player(text(piece.id), text(piece.note), age: piece.rank, team: text(piece.box ?? 0))
    }
    let mapping = Mapping<Player>(
      row: row, rank: { $0.age },
      sorts: [[.ascending(\.age)], [.descending(\.age), .ascending(\.name)], [], [.ascending(\.name)]], order: order,
      sections: [
        .by(\.team), .by(\.team, order: .byTitle), .by(\.team, order: .byNumber), nil, .by("half") { $0.age / 2 },
        .by(\.team, order: .byNumber, pinned: [text(1), text(0), text(1_000)]),
        .by(\.team, order: .byRows), .by(\.team, order: .byRows.descending, pinned: [text(1), text(0), text(1_000)]),
        .by(\.team, order: .byNumber.descending),
      ], key: { .string(text($0)) }, title: text, namesBoxes: false)
    return try Self(TeamScreen(store, team: ""), mapping) { event, piece -> [TeamEvent] in
      switch (event, piece) {
      case (.ranked(let id, let rank), _?): [.birthdayCelebrated(id: text(id), age: rank)]
      case (.removed(let id), _): [.playerReleased(id: text(id))]
      case (_, let piece?): [.playerSigned(row(piece))]
      default: []
      }
    }
  }

  static func course(_ store: some EventStore) throws -> Self {
    let row = { (piece: Piece) in
      Lesson(text(piece.id), course: 7, chapter: piece.box ?? 0, number: piece.rank, text(piece.note))
    }
    let mapping = Mapping<Lesson>(
      row: row, rank: { $0.number },
      sorts: [[.ascending(\.number)], [.descending(\.number), .ascending(\.title)], [], [.ascending(\.title)]],
      order: order,
      sections: [
        .by(\.chapter), .by(\.chapter, order: .byTitle), .by(\.chapter, order: .byNumber), nil,
        .by("half") { $0.number / 2 }, .by(\.chapter, order: .byNumber, pinned: [1, 0, 1_000]),
        .by(\.chapter, order: .byRows), .by(\.chapter, order: .byRows.descending, pinned: [1, 0, 1_000]),
        .by(\.chapter, order: .byNumber.descending),
      ], showsTitles: false)
    return try Self(CourseScreen(store, course: 7), mapping) { event, piece -> [CourseEvent] in
      switch (event, piece) {
      case (.ranked, let piece?), (.boxed, let piece?):
        [.lessonShifted(id: text(piece.id), chapter: piece.box ?? 0, number: piece.rank)]
      case (.noted(let id, let note), _?): [.lessonRetitled(id: text(id), title: text(note))]
      case (.removed(let id), _): [.lessonRemoved(id: text(id))]
      case (.titled(let box, let title), _): [.chapterNamed(course: 7, chapter: box ?? 0, name: "title \(title)")]
      case (_, let piece?): [.lessonAdded(row(piece))]
      default: []
      }
    }
  }

  static func staff(_ store: some EventStore) throws -> Self {
    let row = { (piece: Piece) in
      Employee(
        text(piece.id), text(piece.note), height: Double(piece.rank), birthday: .distantPast,
        section: text(piece.box ?? 0))
    }
    let mapping = Mapping<Employee>(
      row: row, rank: { Int($0.height) },
      sorts: [[.ascending(\.height)], [.descending(\.height), .ascending(\.name)], [], [.ascending(\.name)]],
      order: order,
      sections: [
        .by(\.sectionName), .by(\.sectionName, order: .byTitle), .by(\.sectionName, order: .byNumber), nil,
        .by("half") { Int($0.height) / 2 },
        .by(\.sectionName, order: .byNumber, pinned: [text(1), text(0), text(1_000)]),
        .by(\.sectionName, order: .byRows),
        .by(\.sectionName, order: .byRows.descending, pinned: [text(1), text(0), text(1_000)]),
        .by(\.sectionName, order: .byNumber.descending),
      ], key: { .string(text($0)) }, title: text)
    return try Self(StaffScreen(store), mapping) { event, piece -> [StaffEvent] in
      switch (event, piece) {
      case (.ranked(let id, let rank), _?): [.measured(id: text(id), height: Double(rank))]
      case (.boxed(let id, let box), _?): [.transferred(id: text(id), section: text(box ?? 0))]
      case (.removed(let id), _): [.dismissed(id: text(id))]
      case (.titled(let box, let title), _): [.sectionRenamed(section: text(box ?? 0), title: "title \(title)")]
      case (_, let piece?): [.hired(row(piece))]
      default: []
      }
    }
  }
}
