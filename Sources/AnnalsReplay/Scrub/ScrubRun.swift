import Annals

/// The view without a terminal: each key's requests are done before the next key.
struct ScrubRun {
  private(set) var model: ScrubModel
  let engine: ScrubEngine

  /// Opens the list.
  ///
  /// - Parameters:
  ///   - engine: Reads the log.
  ///   - model: The view.
  ///   - position: Where to begin; nil for the log's end.
  /// - Throws: ``ReplayError`` if the list cannot be shown there.
  init(_ engine: ScrubEngine, _ model: ScrubModel, at position: Position?) throws {
    self.engine = engine
    self.model = model
    let request = ScrubRequest.open(ScrubSetting(), at: position)
    let answer = engine.answer(request)
    if case .failed(let error) = answer { throw error }
    self.model.take(answer, of: request)
  }

  /// Presses a key.
  mutating func press(_ key: Key) {
    for request in model.handle(key) { model.take(engine.answer(request), of: request) }
  }

  /// Lets time pass, as while it plays.
  mutating func tick() {
    for request in model.tick() { model.take(engine.answer(request), of: request) }
  }

  mutating func resize(columns: Int, rows: Int) { model.resize(columns: columns, rows: rows) }

  /// Reads what the panes need.
  mutating func settle() {
    // Each request is answered once; an answer may lead to one more.
    for _ in 0..<8 {
      guard let request = model.background() else { return }
      model.take(engine.answer(request), of: request)
    }
  }
}
