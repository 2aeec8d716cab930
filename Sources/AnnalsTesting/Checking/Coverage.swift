import Annals

/// What the examples of a check reached: events in histories, commands that were done or refused, refusals.
struct Coverage {
  /// The answers of one decider, or of one machine's model.
  struct Answers {
    /// "decider" or "machine".
    var kind = ""
    /// The commands' names: those of the machine, or of the command type's cases; nil if they are unknown.
    var commands: [String]?
    /// How often a command was done.
    var done: [String: Int] = [:]
    /// How often a command was accepted and made no event.
    var nothing: [String: Int] = [:]
    /// How often a command was refused.
    var refused: [String: Int] = [:]
    /// How often each refusal came.
    var refusals: [String: Int] = [:]
    /// The names of all refusals; nil if they are unknown.
    var allRefusals: [String]?
    /// How many of the answers were those of a law.
    ///
    /// What a scenario asks has the expected answer beside it.
    var lawAnswers = 0
  }

  /// The histories of one type of event.
  struct Histories {
    var count = 0
    var empty = 0
    var events: [String: Int] = [:]
    var allEvents: [String]?
  }

  /// What was asked: a type of events, a decider or a machine.
  ///
  /// Two types of one name, in two modules or in two other types, are two.
  struct Subject: Hashable {
    private let type: Any.Type

    init(_ type: Any.Type) { self.type = type }

    static func == (left: Subject, right: Subject) -> Bool { left.type == right.type }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }

    /// The subjects with their names, in order: the whole name where another subject has the same short one.
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
  /// How the states of a case looked.
  var states: [Subject: Set<StateShape>] = [:]

  var isEmpty: Bool { answers.isEmpty && histories.isEmpty && states.isEmpty }

  /// Adds what another case reached.
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
  /// Notes the history that a law was given.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - isContext: True if the law is about a command on the history, so that an empty one shows something too.
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

  /// Notes what a decider answered to a command.
  ///
  /// - Parameters:
  ///   - decider: The decider.
  ///   - command: The command.
  ///   - events: How many events it made; 0 if it refused.
  ///   - refusal: The name of its refusal.
  ///   - isExpected: True if the test names the expected answer, as a scenario does.
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
  /// Notes what a machine's run did.
  ///
  /// - Parameters:
  ///   - machine: The machine's type.
  ///   - answers: The commands that were done and refused.
  static func note(machine: Any.Type, _ answers: Answers) {
    CaseContext.current?.cover { coverage in
      var reached = Coverage()
      reached.answers[Subject(machine)] = answers
      coverage.add(reached)
    }
  }
}
