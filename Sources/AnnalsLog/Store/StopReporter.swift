import Synchronization

/// A reporter that reports every failure once.
package final class StopReporter: Sendable {
  /// The effect of an error on a component, in the words of a report.
  package enum Effect: String {
    case stopped
    /// The component continues without the event's stream.
    case quarantined = "quarantined a stream"
    case paused = "paused before its next attempt"
  }

  private let kind: FailureReport.Kind
  private let name: String
  /// The last reported message, or `nil` while everything works.
  private let last = Mutex<String?>(nil)

  /// - Parameters:
  ///   - kind: The kind of component that can stop.
  ///   - name: The component's name.
  package init(_ kind: FailureReport.Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// Reports an error, unless the error repeats the last report.
  package func report(_ error: any Error, in store: any EventStore, effect: Effect = .stopped) {
    report(error, source: store.source, store.environment, effect: effect)
  }

  /// Reports an error of a component that follows a log, unless the error repeats the last report.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - source: The log's source.
  ///   - environment: The environment that receives the report.
  ///   - effect: The effect of the error on the component.
  package func report(
    _ error: any Error, source: String, _ environment: StoreEnvironment, effect: Effect = .stopped
  ) {
    let position = (error as? ProjectionError)?.event.position
    let message =
      "\(subject) \(effect.rawValue)\(place(of: error)) in the log \(source): \(reason(error)). \(advice(error))"
    let isNew = last.withLock { last in
      defer { last = message }
      return last != message
    }
    guard isNew else { return }
    environment.report(
      FailureReport(kind, name, source: source, position: position, error: error, message: message))
  }

  /// Records that the component works, so that the next failure is reported even if it equals the last failure.
  package func noteSuccess() { last.withLock { $0 = nil } }

  private var subject: String {
    switch kind {
    case .follower: "the follower \"\(name)\""
    case .save: "saving the list \"\(name)\""
    default: "the list of the projection \(name)"
    }
  }

  private func place(of error: any Error) -> String {
    guard let event = (error as? ProjectionError)?.event else { return "" }
    return " before event \(event.position) (\(event.type))"
  }

  /// Returns the reason, without payload values that an error's message might contain.
  ///
  /// Only the messages of ``EventStoreError`` are included, because they contain no payload values.
  private func reason(_ error: any Error) -> String {
    switch error {
    case let error as EventStoreError: error.message
    case let error as ProjectionError:
      switch error.code {
      case .unknownEvent: "the program's event type has no case for the event"
      case .undecodable: "the event's payload doesn't match the event's case in the program's event type"
      case .newerEvent: "the event's schema version is newer than the program's"
      case .notUpcast: "the event can't be upcast to the current schema version"
      default: "the \(kind == .follower ? "follower's" : "projection's") code threw \(type(of: error.underlying))"
      }
    case let error as EventCodingError: "\(error.code)"
    default: "\(type(of: error))"
    }
  }

  private func advice(_ error: any Error) -> String {
    let whole =
      switch kind {
      case .follower: "See the report's `error` for the full error"
      case .save:
        "The list wasn't saved, so the next launch replays more events. See the list's `cacheReport` for the full error"
      default: "See the list's `failure` for the full error"
      }
    guard let error = error as? ProjectionError else { return whole }
    return "\(error.advice). \(whole)"
  }
}
