import Annals
import Foundation

/// The view on a terminal: reads its keys, draws its screen, and leaves it as it was.
struct ScrubTerminal {
  private var model: ScrubModel
  private let worker: ScrubWorker
  private let diff: ScreenDiff
  private var parser = KeyParser()
  /// What the terminal shows; nil if that is not known.
  private var shown: Screen?
  private var drawnAt = -Double.infinity
  private var tickAt = 0.0
  /// When a key was pressed last.
  private var pressedAt = -Double.infinity
  private var frame = 0
  /// True if the terminal reports the mouse.
  private var hasMouse = false

  private static var now: Double { Console.seconds() }

  /// - Parameters:
  ///   - engine: Reads the log; from now on on a thread of its own.
  ///   - facts: What the view is of.
  ///   - hasColour: True to use colours.
  init(_ engine: ScrubEngine, _ facts: ScrubFacts, hasColour: Bool) {
    let size = Platform.Terminal.size
    model = ScrubModel(facts, columns: size.columns, rows: size.rows)
    diff = ScreenDiff(hasColour: hasColour)
    worker = ScrubWorker(engine) { Platform.Terminal.wake() }
  }

  /// Runs until you quit, a signal ends it, or the terminal is closed.
  ///
  /// - Parameter position: The first position, nil for the log's end.
  /// - Returns: The status of the process.
  /// - Throws: ``ReplayError`` if the list cannot be opened, or the terminal not be set up.
  mutating func run(at position: Position?) throws -> ReplayError.Status {
    guard Platform.Terminal.enter() else {
      throw ReplayError(.usage, "scrub cannot set up this terminal; use replay")
    }
    defer { Platform.Terminal.leave() }
    worker.send(.open(ScrubSetting(), at: position))
    while !model.isOver {
      if let status = try obeySignals() { return status }
      for (answer, request) in worker.takeAnswers() {
        // Without a former list there is nothing to show.
        if case .failed(let error, nil) = answer, model.shown == nil || request.kind == .list { throw error }
        model.take(answer, of: request)
      }
      tick()
      showWork()
      if !worker.isBusy, let request = model.background(), delay(of: request) <= 0 { worker.prepare(request) }
      guard draw() else { return .terminated }
      guard try readKeys() else { return .terminated }
    }
    return .done
  }

  private mutating func obeySignals() throws -> ReplayError.Status? {
    let signals = Platform.Terminal.takeSignals()
    if let end = signals.end { return end }
    if signals.isStopped { try suspend() }
    if signals.isContinued, !signals.isStopped { try check(Platform.Terminal.resume()) }
    if signals.isResized || signals.isContinued { takeSize() }
    return nil
  }

  /// Stops the process, and redraws the screen when it continues.
  private mutating func suspend() throws {
    try check(Platform.Terminal.suspend())
    takeSize()
  }

  /// Takes the terminal's size, and forgets its content, which it may have moved.
  private mutating func takeSize() {
    let size = Platform.Terminal.size
    model.resize(columns: size.columns, rows: size.rows)
    shown = nil
  }

  private func check(_ isSetUp: Bool) throws {
    if !isSetUp { throw ReplayError(.inputOutput, "the terminal cannot be set up again") }
  }

  private mutating func tick() {
    guard let interval = model.tickInterval else {
      tickAt = 0
      return
    }
    let now = Self.now
    if tickAt == 0 { tickAt = now + interval }
    // A step that takes longer than the interval slows the play down.
    guard now >= tickAt, !worker.isAsked else { return }
    tickAt = now + interval
    for request in model.tick() { worker.send(request) }
  }

  /// Names the task that takes longer, and its progress.
  private mutating func showWork() {
    model.reached = worker.work?.reached
    guard let work = worker.work, !work.isBackground, Self.now - work.start > 0.08 else {
      model.work = nil
      return
    }
    frame += 1
    var text = work.request.words
    if let reached = work.reached { text += "  \(reached)" + (model.shown.map { " of \($0.end)" } ?? "") }
    if model.shown != nil, work.request.canStop { text += "  any key stops" }
    model.work = ScrubWork(text: text, frame: frame)
  }

  /// The seconds until a request of the panes is sent.
  ///
  /// A row's history is read once you pause.
  private func delay(of request: ScrubRequest) -> Double {
    if case .history = request.kind { pressedAt + 0.15 - Self.now } else { 0 }
  }

  private mutating func draw() -> Bool {
    let now = Self.now
    // Sixty screens a second are enough while keys keep arriving.
    if now - drawnAt < 1.0 / 60, Platform.Terminal.hasInput { return true }
    let screen = model.screen()
    var text = diff.text(from: shown, to: screen)
    if shown == nil || model.hasMouse != hasMouse { text += Platform.Terminal.mouse(model.hasMouse) }
    if text.isEmpty { return true }
    (shown, drawnAt, hasMouse) = (screen, now, model.hasMouse)
    return Platform.Terminal.write(text)
  }

  /// Waits for what comes next, and takes the keys; false if the terminal is gone.
  private mutating func readKeys() throws -> Bool {
    var limit: Double?
    func atMost(_ seconds: Double) { limit = min(limit ?? .infinity, max(0, seconds)) }
    if parser.isWaiting { atMost(0.04) }
    if tickAt > 0 { atMost(tickAt - Self.now) }
    if worker.isBusy { atMost(0.1) } else if let request = model.background() { atMost(delay(of: request)) }
    guard Platform.Terminal.wait(limit) else {
      for key in parser.settle() { try press(key) }
      return true
    }
    guard let bytes = Platform.Terminal.read() else { return false }
    for key in parser.feed(bytes) { try press(key) }
    return true
  }

  private mutating func press(_ key: Key) throws {
    pressedAt = Self.now
    if key == .control("z") { return try suspend() }
    if key == .control("l") {
      shown = nil
      return
    }
    // Escape only stops a long task, and any other key is pressed, too.
    if let work = worker.work, !work.isBackground, work.request.canStop, pressedAt - work.start > 0.05 {
      if case .step = work.request.kind {} else { worker.cancel() }
      if key == .escape { return }
    }
    for request in model.handle(key) { worker.send(request) }
  }
}
