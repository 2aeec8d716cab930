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
    case done(id: String, person: String)

    var tags: Set<EventTag> {
      switch self {
      case .added(_, _, let person), .done(_, let person): [EventTag("person:\(person)")]
      }
    }
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

  struct FinishTask {
    let id: String
  }

  struct Board: Projection {
    typealias Event = EventUnion2<PersonEvent, TaskEvent>

    func project(_ event: Event, into rows: inout Rows<TaskRow>) {
      switch event {
      case .first(.joined(let id, let name)), .first(.renamed(let id, let name)):
        rows.renameSection(id, of: \.person, to: name)
      case .second(.added(let id, let title, let person)):
        rows.insert(TaskRow(id: id, title: title, person: person))
      case .second(.done(let id, _)): rows[id] = nil
      }
    }
  }

  struct Assignment: BoundaryDecider {
    typealias Event = EventUnion2<PersonEvent, TaskEvent>
    enum Refusal: Error { case unknownPerson }

    var people: Set<String> = []

    static func boundary(for command: NewTask) -> EventQuery { .tagged(EventTag("person:\(command.person)")) }
    static func stream(for command: NewTask) -> StreamName { TaskDesk.stream(command.id) }

    func decide(_ command: NewTask) throws(Refusal) -> [Event] {
      guard people.contains(command.person) else { throw .unknownPerson }
      return [.second(.added(id: command.id, title: command.title, person: command.person))]
    }

    mutating func evolve(_ event: Event) {
      if case .first(.joined(let id, _)) = event { people.insert(id) }
    }
  }

  struct Closing: BoundaryDecider {
    typealias Event = EventUnion2<PersonEvent, TaskEvent>

    /// By task: whose it is.
    var open: [String: String] = [:]

    static func boundary(for person: String) -> EventQuery { .tagged(EventTag("person:\(person)")) }

    func decide(_ person: String) -> [Event] { closing(person).map(Event.init) }

    private func closing(_ person: String) -> [TaskEvent] {
      open.filter { $0.value == person }.keys.sorted().map { .done(id: $0, person: person) }
    }

    mutating func evolve(_ event: Event) {
      switch event {
      case .first: break
      case .second(.added(let id, _, let person)): open[id] = person
      case .second(.done(let id, _)): open[id] = nil
      }
    }
  }

  struct TaskDesk: Decider {
    enum Refusal: Error { case noTask }

    var person: String?

    func decide(_ command: FinishTask) throws(Refusal) -> [TaskEvent] {
      guard let person else { throw .noTask }
      return [.done(id: command.id, person: person)]
    }

    mutating func evolve(_ event: TaskEvent) {
      switch event {
      case .added(_, _, let person): self.person = person
      case .done: person = nil
      }
    }
  }

  /// The beginning of a program.
  static func declare() throws {
    try EventCatalog.declare(CardEvent.self, CardNoteEvent.self)
  }
}
