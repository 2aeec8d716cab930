public import Annals
import AnnalsLog
import Foundation

extension Decider {
  /// Checks all laws of a decider and of its lists with generated commands, and shrinks a failing case.
  ///
  ///     @Test func `the garage keeps its laws`() throws {
  ///       try Garage.checkAllLaws(after: [.open("p1", spots: 2)], lists: [.init(Cars())]) { garage in
  ///         .oneOf(
  ///           plate.map { .enter($0, "p1") },
  ///           Generator.element(of: garage.plates).map { .leave($0) })
  ///       }
  ///     }
  ///
  /// The check draws histories as ``histories(after:count:_:)`` does. The laws depend on the decider's type:
  ///
  /// - `ensureDecidesEqually` for every command, with the history before the command
  /// - `ensureStatesHold`
  /// - `ensureReplaysEqually` and `ensureResumesAnywhere`, if the decider is `Equatable`
  /// - `ensureBoundaryHolds` for every command of a ``Annals/BoundaryDecider``
  /// - `ensureUndoes` with all lists, if the decider is an `Equatable` ``Annals/UndoableDecider``
  /// - `ensureSnapshotsHold`, if the decider is an `Equatable` ``Annals/SnapshotDecider``
  /// - `ensureCodesEqually` for every event of a ``Annals/CustomCodedEvent`` type
  /// - `ensureAllLaws` for every list
  /// - `checkPurity`, if you pass `purity`
  ///
  /// The report's ``CheckReport/laws`` contains the laws that ran. Its ``CheckReport/unreached`` names the laws that
  /// the decider's type requires, but that need `Equatable`.
  ///
  /// - Parameters:
  ///   - first: Commands that every history begins with, by default none.
  ///   - count: The permitted numbers of other commands. By default, any number is permitted, but small numbers are
  ///     more frequent.
  ///   - lists: The lists of rows that the events produce.
  ///   - exceptions: The names of laws that the decider can't keep, such as `"ensureBoundaryHolds"` for a state that
  ///     contains no ids because all events inside a boundary belong to one thing.
  ///   - purity: The way to start other processes, for example ``Purity/Launch/thisTest``, which compare the decisions
  ///     and the lists. By default, no process is started. At most 50 examples are compared.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file that contains the call.
  ///   - function: The function that contains the call.
  ///   - line: The line of the call.
  ///   - commands: A function that returns the generator of the next command. Its argument is the state after all
  ///     events so far. If the generator has no value, the command is omitted.
  /// - Returns: A report of the cases.
  /// - Throws: ``PropertyFailure`` if a law doesn't hold, or ``CheckError`` for invalid arguments.
  @discardableResult
  public static func checkAllLaws(
    after first: @escaping @autoclosure @Sendable () -> [Command] = [], count: ClosedRange<Int> = 0...Int.max,
    lists: [CheckedList<Event>] = [], except exceptions: Set<String> = [], purity: Purity.Launch? = nil,
    settings: CheckSettings = .current,
    fileID: String = #fileID, function: String = #function, line: UInt = #line,
    _ commands: @escaping @Sendable (Self) -> Generator<Command>
  ) throws -> CheckReport {
    let name = PropertyName(file: fileID, function: function, line: line)
    let laws = try DomainLaws<Self>(lists, exceptions, name)
    // A process that compares results doesn't repeat the laws.
    guard ServedCall.asked == nil || ServedCall.servesCases else {
      guard let purity else { return CheckReport() }
      return try comparePurity(lists, purity, settings, name) { try $0.draw(from: $1, first(), count, commands) }
    }
    var report = try Session.run(name, settings) { draw in
      var decided = try DecidedHistory<Self>()
      do {
        // The commands so far, if one of their events can't be stored.
        defer { draw.transcript?.append(decided.swiftSource) }
        try draw.span(.parameter) { try decided.draw(from: draw, first(), count, commands) }
      }
      note("the events are \(swiftSource(of: decided.events))")
      try laws.ensure(decided)
    }
    report.unreached += laws.missing.map(\.description)
    if !settings.allowsVacuous {
      name.warn(unreached: laws.missing.filter { !settings.allows(unreached: $0.name) }.map(\.description))
    }
    if let purity {
      let pure = try comparePurity(lists, purity, settings, name) { try $0.draw(from: $1, first(), count, commands) }
      report.laws["\(Self.self): checkPurity"] = pure.examples
      report.unreached += pure.unreached
    }
    return report
  }

  /// Compares the decisions and the lists of several processes.
  private static func comparePurity(
    _ lists: [CheckedList<Event>], _ launch: Purity.Launch, _ settings: CheckSettings, _ name: PropertyName,
    _ decide: @escaping @Sendable (inout DecidedHistory<Self>, Draw) throws -> Void
  ) throws -> CheckReport {
    var settings = settings
    settings.examples = min(settings.examples, 50)
    // The failing cases and the corpus belong to the check of the other laws, which has the same name.
    (settings.failures, settings.corpus) = (nil, nil)
    let histories = Generator { source in
      var decided = try DecidedHistory<Self>()
      try decide(&decided, source)
      return decided
    }
    return try Purity.check(histories, Purity.World.all, launch, settings, name, note: { _ in }) { decided in
      let rows = try lists.map { "; \($0.projection): \(try $0.text(decided.events))" }
      return ShownText(swiftSource: swiftSource(of: decided.events) + rows.joined())
    }
  }
}

/// The laws of a decider and of its lists.
private struct DomainLaws<D: Decider> {
  typealias Law = (DecidedHistory<D>) throws -> Void

  /// The laws that the decider's type requires, but that can't be checked.
  private(set) var missing: [Coverage.Gap] = []
  private var laws: [Law] = []
  private var left: Set<String>
  private let exceptions: Set<String>

  init(_ lists: [CheckedList<D.Event>], _ exceptions: Set<String>, _ name: PropertyName) throws {
    self.exceptions = exceptions
    left = exceptions
    let (fileID, line) = (name.file, name.line)
    add("ensureDecidesEqually") { decided in
      for (command, start) in zip(decided.commands, decided.starts) {
        try D.ensureDecidesEqually(command, after: Array(decided.events[..<start]), fileID: fileID, line: line)
      }
    }
    let equatable = D.self as? any (Decider & Equatable).Type
    addState(equatable, fileID, line)
    if let type = D.self as? any BoundaryDecider.Type {
      add("ensureBoundaryHolds") { decided in
        for (command, start) in zip(decided.commands, decided.starts) {
          try type.ensureBoundary(command, Array(decided.events[..<start]), fileID, line)
        }
      }
      add("ensureStatesHold") { try type.ensureStates($0.commands, fileID, line) }
    } else {
      add("ensureStatesHold") { try D.ensureStatesHold($0.commands, fileID: fileID, line: line) }
    }
    if D.self is any UndoableDecider.Type {
      require("ensureUndoes", equatable)
      if let type = D.self as? any (BoundaryDecider & UndoableDecider & Equatable).Type {
        add("ensureUndoes") { try type.ensureBoundaryUndo($0.commands, lists.map { $0.reader() }, fileID, line) }
      } else if let type = D.self as? any (UndoableDecider & Equatable).Type {
        add("ensureUndoes") { try type.ensureUndo($0.commands, lists.map { $0.reader() }, fileID, line) }
      }
    }
    if D.Event.self is any CustomCodedEvent.Type {
      add("ensureCodesEqually") { decided in
        for event in decided.events {
          try (event as? any CustomCodedEvent)?.ensureCodesEqually(fileID: fileID, line: line)
        }
      }
    }
    for list in lists { laws.append { try list.ensureAllLaws($0.events, fileID, line) } }
    guard let unknown = left.min() else { return }
    throw CheckError(
      description: "`except` must contain only names of laws of \(D.self), such as ensureStatesHold (contains "
        + "\(unknown))")
  }

  /// Adds the laws that compare states.
  private mutating func addState(_ type: (any (Decider & Equatable).Type)?, _ fileID: String, _ line: UInt) {
    require("ensureReplaysEqually", type)
    require("ensureResumesAnywhere", type)
    if let type {
      add("ensureReplaysEqually") { try type.ensureReplay($0.events, fileID, line) }
      add("ensureResumesAnywhere") { try type.ensureResume($0.events, fileID, line) }
    }
    guard D.self is any SnapshotDecider.Type else { return }
    require("ensureSnapshotsHold", type)
    guard let type = D.self as? any (SnapshotDecider & Equatable).Type else { return }
    add("ensureSnapshotsHold") { try type.ensureSnapshots($0.events, fileID, line) }
  }

  func ensure(_ decided: DecidedHistory<D>) throws {
    for law in laws { try law(decided) }
  }

  private mutating func add(_ name: String, _ law: @escaping Law) {
    left.remove(name)
    if !exceptions.contains(name) { laws.append(law) }
  }

  /// Records a law as missing if the decider isn't equatable.
  private mutating func require(_ name: String, _ type: (any (Decider & Equatable).Type)?) {
    left.remove(name)
    guard type == nil, !exceptions.contains(name) else { return }
    missing.append(
      Coverage.Gap(name: name, description: "the law \(name) of \(D.self), because \(D.self) isn't Equatable"))
  }
}

// The laws of types that are known only at run time. The arguments have the types of the decider's commands and events.

extension Decider where Self: Equatable {
  fileprivate static func ensureReplay(_ history: Any, _ fileID: String, _ line: UInt) throws {
    guard let history = history as? [Event] else { return }
    try ensureReplaysEqually(history, fileID: fileID, line: line)
  }

  fileprivate static func ensureResume(_ history: Any, _ fileID: String, _ line: UInt) throws {
    guard let history = history as? [Event] else { return }
    try ensureResumesAnywhere(history, fileID: fileID, line: line)
  }
}

extension SnapshotDecider where Self: Equatable {
  fileprivate static func ensureSnapshots(_ history: Any, _ fileID: String, _ line: UInt) throws {
    guard let history = history as? [Event] else { return }
    try ensureSnapshotsHold(history, fileID: fileID, line: line)
  }
}

extension BoundaryDecider {
  fileprivate static func ensureBoundary(
    _ command: Any, _ history: Any, _ fileID: String, _ line: UInt
  ) throws {
    guard let command = command as? Command, let history = history as? [Event] else { return }
    try ensureBoundaryHolds(command, after: history, fileID: fileID, line: line)
  }

  fileprivate static func ensureStates(_ commands: Any, _ fileID: String, _ line: UInt) throws {
    guard let commands = commands as? [Command] else { return }
    try ensureStatesHold(commands, fileID: fileID, line: line)
  }
}

extension UndoableDecider where Self: Equatable {
  fileprivate static func ensureUndo(
    _ commands: Any, _ lists: [any UndoList], _ fileID: String, _ line: UInt
  ) throws {
    guard let commands = commands as? [Command] else { return }
    try ensureUndoes(commands, in: lists, fileID, line)
  }
}

extension BoundaryDecider where Self: UndoableDecider & Equatable {
  fileprivate static func ensureBoundaryUndo(
    _ commands: Any, _ lists: [any UndoList], _ fileID: String, _ line: UInt
  ) throws {
    guard let commands = commands as? [Command] else { return }
    try ensureUndoesOnBoundaries(commands, in: lists, fileID, line)
  }
}
