public import Annals
import AnnalsLog
import Foundation
import Synchronization

/// Checks that a follower has the same effects if events are delivered twice, and if its process ends at any point.
///
/// A follower gets every event at least once. If the process ends after the follower's code has handled an event but
/// before the position is saved, the new process repeats the event. For every history, the check compares the
/// value of `answer` after these runs:
///
/// - a run in which one process handles all events
/// - a run in which a new process handles every event
/// - for every event, a run in which the process ends before it saves the event's position
/// - for every append of the follower's code, a run in which the process ends before the append, and a run in which it
///   ends after the append
///
/// In a run with an end, a new process handles the remaining events. The values must be the same in all runs.
///
///     @Test func `every mail is sent once`() async throws {
///       try await checkDelivery(of: histories) {
///         Post()
///       } follower: { store, post in
///         try EventFollower("mailer", of: HallEvent.self, in: store, startingAt: .beginning) { recorded, _ in
///           try await post.mail("\(recorded.event)", key: recorded.id)
///         }
///       } answer: { _, post in
///         await post.sent
///       }
///     }
///
/// The store is in memory. Its clock shows the time of the latest event, and a sleep moves the clock forward instead of
/// waiting. So retries take no time. Events have the same ids in all runs.
///
/// - Parameters:
///   - histories: The generator of the histories. The events are appended one by one.
///   - stream: A function that returns the stream of an event, by default the stream `history` for all events.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The isolation in which the cases run. Pass no argument: the default is the caller's isolation.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
///   - start: A function that creates the system outside the log, such as a mail server. The system remains when the
///     process ends.
///   - follower: A function that creates the follower on a store. It is called for every new process, so the
///     follower's code must get everything that it remembers from the store or the system.
///   - answer: A function that returns the effects of the follower, from the system or from the store. If the follower
///     appends events, leave out their positions, because they depend on the time of the append.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the values differ or the follower fails, ``CheckError`` for invalid settings, or
///   `CancellationError` if the task is cancelled.
/// - Complexity: O(n²) deliveries for a history of n events.
@discardableResult
public func checkDelivery<Event: Annals.Event, System, Answer: Equatable>(
  of histories: Generator<[Event]>, to stream: (Event) -> StreamName = { _ in "history" },
  settings: CheckSettings = CheckSettings(examples: 50), isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  start: () async throws -> System,
  follower: (any EventStore, System) throws -> EventFollower<Event>,
  answer: (any EventStore, System) async throws -> Answer
) async throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    let history = try draw.argument(histories)
    Coverage.note(history)
    let entries = try Swift.zip(history, LawHistory(history).entries).map { (stream: stream($0), event: $1) }
    var runs = [DeliveryRun(.none)]
    var expected: Answer?
    while let run = runs.popLast() {
      let (store, system) = (run.store, try await start())
      var current: EventFollower<Event>
      do {
        current = try follower(store, system)
      } catch {
        guard run.end(at: 0) else { throw error }
        current = try follower(store, system)
      }
      for (stream, event) in entries {
        try run.append(event, to: stream)
        if run.ending == .everywhere { current = try follower(store, system) }
        do {
          try await current.catchUp()
        } catch {
          // A follower that fails by itself fails the case.
          guard store.failed > 0 else { throw error }
        }
        guard try run.end(at: run.unfailing { try current.position }) else { continue }
        current = try follower(store, system)
        do {
          try await current.catchUp()
        } catch {
          throw Unmet(description: "\(run). Then the new process failed: \(error)", fileID: fileID, line: line)
        }
      }
      let found = try await answer(store.wrapped, system)
      guard let known = expected else {
        expected = found
        runs = DeliveryRun.all(for: store.calls)
        continue
      }
      try ensure(
        found == known,
        "\(run), so the effects must be the same as without an end. `answer` must return \(swiftSource(of: known)), "
          + "but it returned \(swiftSource(of: found))", fileID: fileID, line: line)
    }
  }
}

/// A run that delivers a history to a follower, whose process can end.
private final class DeliveryRun: CustomStringConvertible {
  enum Ending: Equatable {
    case none
    /// A new process handles every event.
    case everywhere
    /// The process ends at a call to the store.
    case at(StoreFault)
  }

  let ending: Ending
  let store: FaultyStore
  private let clock: DeliveryClock
  /// The saved position when the process ended.
  private var position: Position?

  init(_ ending: Ending) {
    let clock = DeliveryClock()
    self.ending = ending
    self.clock = clock
    let environment = StoreEnvironment(
      now: { clock.now }, makeID: { clock.makeID() }, sleep: { clock.advance(by: $0) }, report: { _ in })
    store = FaultyStore(MemoryEventStore(source: "delivery", environment: environment))
    if case .at(let fault) = ending { store.fail(fault) }
  }

  /// Returns the runs in which a process ends, in reverse order.
  ///
  /// - Parameter calls: The calls to the store in a run without an end.
  /// - Returns: The runs.
  static func all(for calls: [StoreFault.Call]) -> [DeliveryRun] {
    let faults = calls.enumerated().flatMap { index, call -> [StoreFault] in
      // After the other calls, nothing has changed. A run with an end after a saved position is like a run with a new
      // process.
      let ways: [StoreFault.Way] = call == .append ? [.notDone, .answerLost] : call == .checkpoint ? [.notDone] : []
      return ways.map { StoreFault(call, number: index + 1, way: $0, lasts: true) }
    }
    return faults.reversed().map { DeliveryRun(.at($0)) } + [DeliveryRun(.everywhere)]
  }

  /// Appends an event of the history, which isn't a call of the follower.
  func append(_ event: NewEvent, to stream: StreamName) throws {
    clock.advance(to: event.time)
    _ = try unfailing { try store.append(Append([event], to: stream)) }
  }

  /// Runs a body whose calls to the store don't fail.
  func unfailing<Result>(_ body: () throws -> Result) rethrows -> Result { try store.paused(body) }

  /// Returns whether the process has ended since the last call, and starts a new process.
  func end(at position: @autoclosure () throws -> Position) rethrows -> Bool {
    guard store.failed > 0, self.position == nil else { return false }
    self.position = try position()
    store.mend()
    return true
  }

  var description: String {
    let saved = "with the saved position \(position ?? 0)"
    switch ending {
    case .none: return "one process handled all events"
    case .everywhere: return "a new process handled every event"
    case .at(let fault):
      switch (fault.call, fault.way) {
      case (.append, .answerLost): return "the process ended after an append of the follower's code, \(saved)"
      case (.append, _): return "the process ended before an append of the follower's code, \(saved)"
      default: return "the process ended before it saved its position, \(saved), and handled the next event twice"
      }
    }
  }
}

/// A clock that shows the time of the latest event, and moves forward instead of waiting.
private final class DeliveryClock: Sendable {
  private let state = Mutex((time: GoldenLine.time, ids: 0))

  var now: Date { state.withLock { $0.time } }

  func advance(by duration: Duration) { state.withLock { $0.time += duration / .seconds(1) } }

  func advance(to time: Date?) { state.withLock { state in state.time = max(state.time, time ?? state.time) } }

  func makeID() -> String {
    state.withLock { state in
      state.ids += 1
      return "\(state.ids)"
    }
  }
}
