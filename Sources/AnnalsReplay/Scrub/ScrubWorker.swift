import Annals
import AnnalsLog
import Dispatch
import Foundation
import Synchronization

/// Performs requests on a separate thread, so that no key waits for the log.
///
/// Requests are performed in their order. Steps that wait for their turn become one.
final class ScrubWorker: Sendable {
  /// What the worker is doing.
  struct Work: Sendable {
    let request: ScrubRequest
    /// True if nothing that you did asked for it.
    let isBackground: Bool
    /// When it began.
    let start: Double
    /// The position that it reached.
    var reached: Position?
  }

  private struct State {
    var waiting: [ScrubRequest] = []
    var background: ScrubRequest?
    var work: Work?
    var answers: [(ScrubAnswer, ScrubRequest)] = []
    var isCancelled = false
  }

  /// `@unchecked Sendable`: the engine is handed to the thread before that runs, and is used there only.
  private struct Handed: @unchecked Sendable { let engine: ScrubEngine }

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - engine: Reads the log; the caller must not use it any more.
  ///   - isReady: Called on the thread when there is an answer.
  init(_ engine: ScrubEngine, isReady: @escaping @Sendable () -> Void) {
    let handed = Handed(engine: engine)
    let thread = Thread { [self] in run(handed.engine, isReady) }
    // Projections of an app may need as much as on the main thread.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// What is being done; nil if nothing is.
  var work: Work? { state.withLock { $0.work } }

  /// True if something is being done, or waits for that.
  var isBusy: Bool { state.withLock { $0.work != nil || !$0.waiting.isEmpty || $0.background != nil } }

  /// True if what you asked for is being done, or waits for that.
  var isAsked: Bool { state.withLock { !$0.waiting.isEmpty || $0.work?.isBackground == false } }

  /// Asks for something.
  func send(_ request: ScrubRequest) {
    state.withLock { state in
      state.background = nil
      if state.work?.isBackground ?? false { state.isCancelled = true }
      if case .step(let step) = request.kind, case .step(let last)? = state.waiting.last?.kind,
        let joined = last.joined(step)
      {
        state.waiting[state.waiting.count - 1] = .step(joined)
      } else {
        state.waiting.append(request)
      }
    }
    semaphore.signal()
  }

  /// Asks for something that is done when nothing else is, and given up when anything else is asked for.
  func prepare(_ request: ScrubRequest) {
    state.withLock { $0.background = request }
    semaphore.signal()
  }

  /// Ends what is being done, as soon as it asks.
  func cancel() { state.withLock { if $0.work != nil { $0.isCancelled = true } } }

  /// The answers since the last call.
  func takeAnswers() -> [(ScrubAnswer, ScrubRequest)] {
    state.withLock { state in
      defer { state.answers = [] }
      return state.answers
    }
  }

  private func run(_ engine: ScrubEngine, _ isReady: @Sendable () -> Void) {
    engine.isCancelled = { [self] in state.withLock { $0.isCancelled } }
    engine.said = { [self] position in state.withLock { $0.work?.reached = position } }
    while true {
      semaphore.wait()
      while let request = next() {
        let answer = releasingObjects { engine.answer(request) }
        state.withLock { state in
          state.answers.append((answer, request))
          state.work = nil
        }
        isReady()
      }
    }
  }

  private func next() -> ScrubRequest? {
    state.withLock { state in
      state.isCancelled = false
      let isBackground = state.waiting.isEmpty
      guard let request = isBackground ? state.background : state.waiting.removeFirst() else { return nil }
      if isBackground { state.background = nil }
      state.work = Work(request: request, isBackground: isBackground, start: Console.seconds())
      return request
    }
  }
}
