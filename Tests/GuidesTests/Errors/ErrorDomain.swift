import Annals
import Foundation

// The types of the guides, and these types with the mistakes that the page of errors describes.

let milk = TodoCommand.add(id: "1", title: "Buy milk")
let call = TodoCommand.add(id: "2", title: "Call Ann")

/// A decider that reads more than the command and the state.
struct Raffle: Decider {
  enum Event: Annals.Event {
    static let typePrefix = "Raffle"
    case drawn(ticket: String)
  }

  func decide(_ command: String) -> [Event] { [.drawn(ticket: UUID().uuidString)] }
  func evolve(_ event: Event) {}
}

enum MemoEvent: Event {
  case noted(String)
  case scratched
}

enum MemoCommand: Codable { case note(String), scratch }

/// A decider whose undo can't be reversed.
struct Memo: EventwiseUndoableDecider {
  var text: String?

  func decide(_ command: MemoCommand) -> [MemoEvent] {
    switch command {
    case .note(let text): [.noted(text)]
    case .scratch: [.scratched]
    }
  }

  mutating func evolve(_ event: MemoEvent) {
    switch event {
    case .noted(let text): self.text = text
    case .scratched: text = nil
    }
  }

  func undoing(_ event: MemoEvent) -> MemoCommand? {
    switch event {
    case .noted: .scratch
    case .scratched: nil
    }
  }
}

/// The decider of a later version, whose commands have a different form.
struct LaterMemo: Decider {
  static let category = "Memo"

  func decide(_ command: [Int]) -> [MemoEvent] { [] }
  func evolve(_ event: MemoEvent) {}
}

/// A decider whose command is decoded as another value.
struct Reminder: Decider {
  struct Command: Codable {
    var minutes = 5

    init(minutes: Int) { self.minutes = minutes }
    init(from decoder: any Decoder) throws {}
  }

  func decide(_ command: Command) -> [MemoEvent] { [.noted("in \(command.minutes) minutes")] }
  func evolve(_ event: MemoEvent) {}
}

/// A decider whose commands contain a person's name.
struct Invitation: Decider {
  func decide(_ command: Personal<String>) -> [PartyEvent] { [.invited(id: "1", name: command)] }
  func evolve(_ event: PartyEvent) {}
}

/// A projection that skips events of an older or newer program.
struct TolerantTodos: Projection {
  static let unknownEvents = UnknownEventPolicy.skip
  static let newerEvents = NewerEventPolicy.skip

  func project(_ event: TodoEvent, into rows: inout Rows<Todo>) { Todos().project(event, into: &rows) }
}

/// A projection that refuses titles without a letter.
struct StrictTodos: Projection {
  struct NoTitle: Error {}

  func project(_ event: TodoEvent, into rows: inout Rows<Todo>) throws {
    if case .added(_, let title) = event, title.isEmpty { throw NoTitle() }
    Todos().project(event, into: &rows)
  }
}

/// A projection with a setting, but without an identity.
struct TodosWith: Projection {
  var word: String

  func project(_ event: TodoEvent, into rows: inout Rows<Todo>) {
    if case .added(_, let title) = event, !title.contains(word) { return }
    Todos().project(event, into: &rows)
  }
}

struct ScaleEvent: Event { var grams: Double }

enum MeterEvent: Event { case read(Double) }

enum Chores {
  enum TodoEvent: Event { case added(id: String) }
  enum ChoreEvent: Event { case added(id: String) }
}

enum RentEvent: Event {
  case paid(cents: Int)

  static let schema = 3
  static let upcasters: [Upcaster] = [.unchanged("RentPaid", from: 1, to: 2)]
}

/// A projection of the todos that aren't finished.
struct OpenTodos: Projection {
  func project(_ event: TodoEvent, into rows: inout Rows<Todo>) {
    switch event {
    case .added(let id, let title): rows.insert(Todo(id: id, title: title))
    case .finished(let id): rows[id] = nil
    }
  }
}

struct SentLetter: Row {
  let id: String
  var text: String
}

struct Letters: Projection {
  func project(_ recorded: Recorded<LetterEvent>, into rows: inout Rows<SentLetter>) {
    if case .written(let text) = recorded.event {
      rows[recorded.stream.text] = SentLetter(id: recorded.stream.text, text: text)
    }
  }
}
