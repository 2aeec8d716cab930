import Annals

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
    /// The number of refusals, by the command's name.
    var refused: [String: Int] = [:]
    /// The number of occurrences, by the refusal's name.
    var refusals: [String: Int] = [:]
    /// The names of all refusals, or `nil` if they are unknown.
    var allRefusals: [String]?
    /// The number of results that came from laws.
    ///
    /// Scenarios don't count, because they specify the expected result.
    var lawAnswers = 0
  }

  /// The histories of one type of event.
  struct Histories {
    var count = 0
    var empty = 0
    var events: [String: Int] = [:]
    var allEvents: [String]?
  }

  /// The type that a result belongs to: an event type, a decider or a machine.
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
  /// The shapes of a case's states.
  var states: [Subject: Set<StateShape>] = [:]

  var isEmpty: Bool { answers.isEmpty && histories.isEmpty && states.isEmpty }

  /// Adds the coverage of another case.
  mutating func add(_ other: Coverage) {
    answers.merge(other.answers) { mine, theirs in
      var sum = mine
      sum.commands = mine.commands ?? theirs.commands
      sum.allRefusals = mine.allRefusals ?? theirs.allRefusals
      sum.done.merge(theirs.done, uniquingKeysWith: +)
      sum.nothing.merge(theirs.nothing, uniquingKeysWith: +)
      sum.refused.merge(theirs.refused, uniquingKeysWith: +)
      sum.refusals.merge(theirs.refusals, uniquingKeysWith: +)
      sum.lawAnswers += theirs.lawAnswers
      return sum
    }
    histories.merge(other.histories) { mine, theirs in
      var sum = mine
      sum.count += theirs.count
      sum.empty += theirs.empty
      sum.events.merge(theirs.events, uniquingKeysWith: +)
      return sum
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
        answers.refused[name, default: 0] += 1
        answers.refusals[refusal, default: 0] += 1
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
