import Annals
import AnnalsTesting

/// What is done on a log while calls of the disk fail.
enum FaultStep: Hashable, Sendable {
  /// Appends rows, by hand.
  case append(Int)
  /// Counts, by a decider whose state is in memory.
  case count(Int)
  case save
  case follow
  /// Copies commits into the log's own file.
  case copy
  case erase(subject: String)
  case compact
  case reopen

  /// 200 appends, ten saved lists, eight positions of a follower, five copies, two erasures and a compaction.
  static let history: [FaultStep] = (1...200).flatMap { number -> [FaultStep] in
    var steps: [FaultStep] = [number % 4 == 3 ? .count(number) : .append(number)]
    if number % 20 == 0 { steps.append(.save) }
    if number % 25 == 0 { steps.append(.follow) }
    if number % 40 == 0 { steps.append(.copy) }
    if number == 98 { steps.append(.reopen) }
    if number == 120 { steps.append(.erase(subject: "subject-0")) }
    if number == 160 { steps.append(.compact) }
    if number == 180 { steps.append(.erase(subject: "subject-1")) }
    return steps
  }

  /// The history in parts; a trial begins at the beginning of one.
  static let blocks: [[FaultStep]] = stride(from: 0, to: history.count, by: 8).map {
    Array(history[$0..<min($0 + 8, history.count)])
  }

  /// The number of the append; nil if it is none.
  var number: Int? {
    switch self {
    case .append(let number), .count(let number): number
    default: nil
    }
  }

  /// The events that an append has, as rows.
  static func events(_ number: Int) -> [PowerEvent] {
    let id = number % 23
    func put(_ id: Int) -> PowerEvent {
      // Sometimes a text that needs overflow pages.
      let text = "SECRET NUMBER \(number) " + String(repeating: "x", count: number % 50 == 0 ? 9_000 : 10)
      return .put(PowerRow(id: id, shelf: number % 3, text: Personal(text, of: "subject-\(id % 3)")))
    }
    if number % 9 == 0 { return [.removed(id: id)] }
    return number % 5 == 0 ? [put(id), put(id + 3)] : [put(id)]
  }

  /// The stream of an append; all events of a row are in one stream.
  static func stream(_ number: Int) -> StreamName { StreamName("s\(number % 23 % 3)") }
}

/// Counts in a stream: each event says the next number.
struct FaultTally: Decider {
  enum Rejection: Error {}

  var count = 0

  func decide(_ command: Int) throws(Rejection) -> [FaultTallyEvent] { [.counted(count + 1)] }

  mutating func evolve(_ event: FaultTallyEvent) {
    if case .counted(let count) = event { self.count = count }
  }
}

enum FaultTallyEvent: Event {
  case counted(Int)
}

/// The rows of a log that has other events too.
struct FaultRows: Projection {
  /// The tests append random events, which needn't match the rows.
  static let toleratedEvents: Set<String> = ["PowerPut", "PowerRemoved"]

  static var unknownEvents: UnknownEventPolicy { .skip }
  static let request = ListRequest<PowerRow>(
    sort: [.descending(\.shelf), .ascending(\.id)], section: .by(\.shelf))

  func project(_ event: PowerEvent, into rows: inout Rows<PowerRow>) { PowerRows().project(event, into: &rows) }

  /// Keeps the last event of each row that is there.
  static let compaction: Compaction = {
    var compaction = Compaction()
    compaction.rewrite(PowerEvent.self) { _, events in
      var last: [Int: Compaction.Candidate<PowerEvent>] = [:]
      for event in events {
        switch event.event {
        case .put(let row): last[row.id] = event
        case .removed(let id): last[id] = nil
        }
      }
      return last.values.sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(FaultRows(), request: request)
    return compaction
  }()
}
