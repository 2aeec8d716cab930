public import Annals
import AnnalsLog

extension Decider {
  /// Returns a generator of histories that a decider produces, so that a history contains only events that could be in
  /// a log.
  ///
  /// The generator draws commands and decides them one after the other, as a store does. A decider's commands are
  /// executed on one stream. The commands of a ``Annals/BoundaryDecider`` are executed on their boundaries. A refused
  /// command adds no event.
  ///
  ///     let history = Garage.histories(after: [.open("p1", spots: 2)]) { garage in
  ///       .oneOf(
  ///         plate.map { .enter($0, "p1") },
  ///         // A plate that is in the garage, so that this command is rarely refused.
  ///         Generator.element(of: garage.plates).map { .leave($0) })
  ///     }
  ///     try check(history) { try Cars().ensureAllLaws($0) }
  ///
  /// - Parameters:
  ///   - first: Commands that every history begins with, by default none.
  ///   - count: The permitted numbers of other commands. By default, any number is permitted, but small numbers are
  ///     more frequent.
  ///   - commands: A function that returns the generator of the next command. Its argument is the state after all
  ///     events so far. If the generator has no value, the command is omitted.
  /// - Returns: The generator.
  public static func histories(
    after first: @escaping @autoclosure @Sendable () -> [Command] = [], count: ClosedRange<Int> = 0...Int.max,
    _ commands: @escaping @Sendable (Self) -> Generator<Command>
  ) -> Generator<[Event]> {
    Generator { source in
      var decided = try DecidedHistory<Self>()
      try decided.draw(from: source, first(), count, commands)
      return decided.events
    }
  }
}

/// Commands and the events that a decider returned for them.
struct DecidedHistory<D: Decider>: SourcePrintable {
  private(set) var commands: [D.Command] = []
  /// The number of events before every command.
  private(set) var starts: [Int] = []
  private(set) var events: [D.Event] = []
  /// The state after all events.
  private var state = D()
  /// The stored forms of the events, for a decider of boundaries.
  private var stored: [NewEvent] = []
  private let boundaries = D.self as? any BoundaryDecider.Type
  private let coder: EventCoder<D.Event>

  init() throws { coder = try EventCoder<D.Event>() }

  /// Draws commands and decides them.
  mutating func draw(
    from draw: Draw, _ first: [D.Command], _ count: ClosedRange<Int>, _ commands: (D) -> Generator<D.Command>
  ) throws {
    for command in first { try decide(command) }
    try draw.repeated(count) {
      do {
        try decide(draw(commands(state)))
        return true
      } catch Discarded.tooLong {
        throw Discarded.tooLong
      } catch is Discarded {
        return false
      }
    }
  }

  var swiftSource: String { AnnalsMirror.swiftSource(of: commands) }

  /// Decides a command, and adds its events.
  private mutating func decide(_ command: D.Command) throws {
    commands.append(command)
    starts.append(events.count)
    var known = state
    if let inside = try boundaries?.inside(stored, of: command), inside.count < events.count {
      known = D()
      for index in inside { known.evolve(events[index]) }
    }
    let new: [D.Event]
    do {
      new = try known.decide(command)
    } catch {
      Coverage.note(D.self, command, events: 0, refusal: EnumCases.name(of: error))
      return
    }
    Coverage.note(D.self, command, events: new.count, refusal: nil)
    for event in new { state.evolve(event) }
    events += new
    if boundaries != nil { stored += try new.map { try coder.encode($0) } }
  }
}

extension BoundaryDecider {
  /// Returns the indices of the events that are inside the boundary of a command.
  fileprivate static func inside(_ stored: [NewEvent], of command: Any) throws -> [Int] {
    guard let command = command as? Command else { return Array(stored.indices) }
    let boundary = boundary(for: command)
    return stored.indices.filter { contains(boundary, of: command, stored[$0]) }
  }
}
