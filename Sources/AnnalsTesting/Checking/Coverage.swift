import Annals
import AnnalsLog

/// The coverage of a check's examples: events in histories, executed or refused commands, and refusals.
struct Coverage {
  /// The results of one decider, or of one machine's model.
  struct Answers {
    /// "decider" or "machine".
    var kind = ""
    /// The names of a machine's commands or of the command type's cases, or `nil` if they are unknown.
    var commands: [String]?
    /// The number of executions, by the command's name.
    var done: [String: Int] = [:]
    /// The number of times that the decider accepted a command without an event, by the command's name.
    var nothing: [String: Int] = [:]
    /// The number of refusals, by the command's name and the refusal's name.
    var refused: [String: [String: Int]] = [:]
    /// The names of commands whose refusal a scenario expects.
    var expected: Set<String> = []
    /// The names of all refusals, or `nil` if they are unknown.
    var allRefusals: [String]?
    /// The number of results that came from laws.
    ///
    /// Scenarios don't count, because they specify the expected result.
    var lawAnswers = 0

    /// The number of occurrences, by the refusal's name.
    var refusals: [String: Int] { refused.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) } }

    /// The number of times that a command was refused.
    func refusals(of command: String) -> Int { refused[command]?.values.reduce(0, +) ?? 0 }

    /// True if a law or a machine tested the decider, so that its commands should be accepted and refused.
    ///
    /// A scenario is about a single situation, so the other commands don't matter to it.
    var isSearched: Bool { kind == "machine" || lawAnswers > 0 }
  }

  /// The histories of one type of event.
  struct Histories {
    var count = 0
    var empty = 0
    var events: [String: Int] = [:]
    var allEvents: [String]?
  }

  /// The effects of events on the rows of a projection.
  struct Effects {
    /// The number of events, by the event's name.
    var events: [String: Int] = [:]
    /// The number of events that changed no row, no section and no related entity, by the event's name.
    var idle: [String: Int] = [:]
  }

  /// The type that a result belongs to: an event type, a decider, a projection or a machine.
  ///
  /// Types with the same name, in two modules or two outer types, are different subjects.
  struct Subject: Hashable {
    private let type: Any.Type

    init(_ type: Any.Type) { self.type = type }

    static func == (left: Subject, right: Subject) -> Bool { left.type == right.type }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }

    /// Returns the values with the names of their subjects, sorted by name.
    ///
    /// If two subjects share a short name, both get their full names.
    static func named<Value>(_ subjects: [Subject: Value]) -> [(key: String, value: Value)] {
      let counts = Dictionary(subjects.keys.map { ("\($0.type)", 1) }, uniquingKeysWith: +)
      return subjects.map { subject, value in
        let short = "\(subject.type)"
        return (key: counts[short] == 1 ? short : String(reflecting: subject.type), value: value)
      }.sorted { $0.key < $1.key }
    }
  }

  var answers: [Subject: Answers] = [:]
  var histories: [Subject: Histories] = [:]
  /// The effects of events, by projection.
  var effects: [Subject: Effects] = [:]
  /// The shapes of a case's states.
  var states: [Subject: Set<StateShape>] = [:]
  /// The laws that ran, by the tested type and the law's name.
  var laws: [Subject: [String: Runs]] = [:]

  var isEmpty: Bool {
    answers.isEmpty && histories.isEmpty && effects.isEmpty && states.isEmpty && laws.isEmpty
  }

  /// Adds the coverage of another case.
  mutating func add(_ other: Coverage) {
    answers.merge(other.answers) { mine, theirs in
      var sum = mine
      sum.commands = mine.commands ?? theirs.commands
      sum.allRefusals = mine.allRefusals ?? theirs.allRefusals
      sum.done.merge(theirs.done, uniquingKeysWith: +)
      sum.nothing.merge(theirs.nothing, uniquingKeysWith: +)
      sum.refused.merge(theirs.refused) { $0.merging($1, uniquingKeysWith: +) }
      sum.lawAnswers += theirs.lawAnswers
      sum.expected.formUnion(theirs.expected)
      return sum
    }
    histories.merge(other.histories) { mine, theirs in
      var sum = mine
      sum.count += theirs.count
      sum.empty += theirs.empty
      sum.events.merge(theirs.events, uniquingKeysWith: +)
      return sum
    }
    effects.merge(other.effects) { mine, theirs in
      Effects(
        events: mine.events.merging(theirs.events, uniquingKeysWith: +),
        idle: mine.idle.merging(theirs.idle, uniquingKeysWith: +))
    }
    for (subject, runs) in other.laws {
      for (law, more) in runs { laws[subject, default: [:]][law, default: Runs()].add(more) }
    }
  }
}

extension Coverage {
  /// Records the history that was passed to a law.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - isContext: True if the law tests a command on the history, so that an empty history is meaningful too.
  static func note<Event>(_ history: [Event], isContext: Bool = false) {
    guard let context = CaseContext.current else { return }
    context.cover { coverage in
      var histories = coverage.histories[Subject(Event.self)] ?? Histories(allEvents: EnumCases.names(of: Event.self))
      if !isContext { histories.count += 1 }
      if !isContext, history.isEmpty { histories.empty += 1 }
      for event in history { histories.events[EnumCases.name(of: event), default: 0] += 1 }
      coverage.histories[Subject(Event.self)] = histories
    }
  }

  /// Records the events without an effect on a projection, except for the events that the projection tolerates.
  ///
  /// Several laws can apply the same history in one case. So the case counts its longest history, and counts it once.
  ///
  /// - Parameters:
  ///   - recorded: The events.
  ///   - rows: The rows before the first event and after every event.
  ///   - projection: The projection.
  /// - Throws: `EventCodingError` if an event can't be encoded.
  static func note<P: Projection>(
    effectsOf recorded: [Recorded<P.Event>], on rows: [Rows<P.Row>], by projection: P.Type
  ) throws {
    guard let context = CaseContext.current else { return }
    let tolerated = P.toleratedEvents
    let coder = try EventCoder<P.Event>(checksNames: false)
    var effects = Effects()
    for (index, event) in recorded.map(\.event).enumerated() {
      if try !tolerated.isEmpty && tolerated.contains(coder.encode(event).type) { continue }
      let name = EnumCases.name(of: event)
      effects.events[name, default: 0] += 1
      if rows[index].isSame(as: rows[index + 1]) { effects.idle[name, default: 0] += 1 }
    }
    guard !effects.events.isEmpty else { return }
    context.cover { [effects] coverage in
      let known = coverage.effects[Subject(P.self)]?.events.values.reduce(0, +) ?? 0
      if effects.events.values.reduce(0, +) > known { coverage.effects[Subject(P.self)] = effects }
    }
  }

  /// Records a decider's result for a command.
  ///
  /// - Parameters:
  ///   - decider: The decider.
  ///   - command: The command.
  ///   - events: The number of events that the decider returned, or 0 if it refused.
  ///   - refusal: The name of its refusal.
  ///   - isExpected: True if the test specifies the expected result, as in a scenario.
  static func note<D: Decider>(
    _ decider: D.Type, _ command: D.Command, events: Int, refusal: String?, isExpected: Bool = false
  ) {
    guard let context = CaseContext.current else { return }
    context.cover { coverage in
      var answers =
        coverage.answers[Subject(D.self)]
        ?? Answers(
          kind: "decider", commands: EnumCases.names(of: D.Command.self),
          allRefusals: EnumCases.names(of: D.Rejection.self))
      let name = EnumCases.name(of: command)
      if let refusal {
        answers.refused[name, default: [:]][refusal, default: 0] += 1
        if isExpected { answers.expected.insert(name) }
      } else if events == 0 {
        answers.nothing[name, default: 0] += 1
      } else {
        answers.done[name, default: 0] += 1
      }
      if !isExpected { answers.lawAnswers += 1 }
      coverage.answers[Subject(D.self)] = answers
    }
  }
  /// Records the results of a machine's run.
  ///
  /// - Parameters:
  ///   - machine: The machine's type.
  ///   - answers: The commands that were executed and refused.
  static func note(machine: Any.Type, _ answers: Answers) {
    CaseContext.current?.cover { coverage in
      var reached = Coverage()
      reached.answers[Subject(machine)] = answers
      coverage.add(reached)
    }
  }
}
