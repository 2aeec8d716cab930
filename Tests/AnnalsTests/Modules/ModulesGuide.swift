import Annals

/// The code of `Docs/Modules.md`; ModulesGuideTests compares the two.
enum ModulesGuide {
  enum PersonEvent: Event, Equatable {
    case joined(id: String, name: String)
    case renamed(id: String, name: String)

    var tags: Set<EventTag> {
      switch self {
      case .joined(let id, _), .renamed(let id, _): [EventTag("person:\(id)")]
      }
    }
  }

  enum TaskEvent: Event, Equatable {
    case added(id: String, title: String, person: String)
    case done(id: String)
  }

  enum CardEvent: Event { case added(id: String) }
  enum CardNoteEvent: Event { case added(id: String) }

  struct TaskRow: Row {
    let id: String
    var title: String
    var person: String
  }

  struct NewTask {
    let id, title, person: String
  }

  struct Board: Projection {
    typealias Event = EventUnion2<PersonEvent, TaskEvent>

    func project(_ event: Event, into rows: inout Rows<TaskRow>) {
      switch event {
      case .first(.joined(let id, let name)), .first(.renamed(let id, let name)):
        rows.renameSection(id, of: \.person, to: name)
      case .second(.added(let id, let title, let person)):
        rows.insert(TaskRow(id: id, title: title, person: person))
      case .second(.done(let id)): rows[id] = nil
      }
    }
  }

  struct Assignment: BoundaryDecider {
    typealias Event = EventUnion2<PersonEvent, TaskEvent>
    enum Refusal: Error { case unknownPerson }

    var people: Set<String> = []

    static func boundary(for command: NewTask) -> EventQuery { .tagged(EventTag("person:\(command.person)")) }

    func decide(_ command: NewTask) throws(Refusal) -> [Event] {
      guard people.contains(command.person) else { throw .unknownPerson }
      return [.second(.added(id: command.id, title: command.title, person: command.person))]
    }

    mutating func evolve(_ event: Event) {
      if case .first(.joined(let id, _)) = event { people.insert(id) }
    }
  }

  /// The beginning of a program.
  static func declare() throws {
    try EventCatalog.declare(CardEvent.self, CardNoteEvent.self)
  }
}
