import Annals
import AnnalsTesting

/// An action on the log before the power is lost.
enum PowerStep: Sendable {
  case append([PowerEvent], withID: Bool)
  /// Appends by three threads at the same time.
  case crowd(each: Int)
  case checkpoint
  case reopen
  case save
  case erase(subject: Int)

  static let one = Generator<PowerStep>.frequency(
    (8, zip(Generator<[PowerEvent]>.array(of: PowerEvent.one, count: 1...4), .bool).map { .append($0, withID: $1) }),
    (2, .constant(.checkpoint)), (2, .constant(.save)), (1, .constant(.reopen)),
    (1, Generator<Int>.int(in: 0...2).map { .erase(subject: $0) }))
}

/// The events of the log.
enum PowerEvent: Event {
  case put(PowerRow)
  case removed(id: Int)

  static let one = Generator<PowerEvent>.frequency(
    (1, Generator<Int>.int(in: 0...19).map { .removed(id: $0) }),
    (5, PowerRow.one.map { .put($0) }))
}

struct PowerRow: Row, Sendable {
  let id: Int
  let shelf: Int
  let text: Personal<String>

  /// Sometimes a text that needs overflow pages.
  static let one = zip(
    .int(in: 0...19), .int(in: 0...2), .int(in: 0...2), .frequency((7, .int(in: 0...60)), (1, .int(in: 0...9_000)))
  ).map { id, shelf, subject, size in
    PowerRow(
      id: id, shelf: shelf,
      text: Personal(String(repeating: "x", count: size), of: "subject-\(subject)"))
  }
}

struct PowerRows: Projection {
  /// The tests append random events, which needn't match the rows.
  static let toleratedEvents: Set<String> = ["PowerPut", "PowerRemoved"]

  func project(_ event: PowerEvent, into rows: inout Rows<PowerRow>) {
    switch event {
    case .put(let row): rows.insert(row)
    case .removed(let id): rows[id] = nil
    }
  }
}
