import Annals

/// The view without a terminal: the requests of a key are performed before the next key.
struct ScrubRun {
  private(set) var model: ScrubModel
  let engine: ScrubEngine

  /// Opens the list.
  ///
  /// - Parameters:
  ///   - engine: Reads the log.
  ///   - model: The view.
  ///   - position: The first position, nil for the log's end.
  /// - Throws: ``ReplayError`` if the list cannot be shown there.
  init(_ engine: ScrubEngine, _ model: ScrubModel, at position: Position?) throws {
    self.engine = engine
    self.model = model
    for request in [ScrubRequest.open(ScrubSetting(), at: position), .list] where self.model.shown?.list == nil {
      let answer = engine.answer(request)
      if case .failed(let error, _) = answer { throw error }
      self.model.take(answer, of: request)
    }
  }

  /// Presses a key, and reads the list.
  mutating func press(_ key: Key) {
    perform(model.handle(key))
    settle { if case .history = $0 { false } else { true } }
  }

  /// Moves with the time, as while it plays.
  mutating func tick() { perform(model.tick()) }

  mutating func resize(columns: Int, rows: Int) { model.resize(columns: columns, rows: rows) }

  /// Reads the data of the panes.
  ///
  /// - Parameter isWanted: Returns false for a kind of request at which to stop.
  mutating func settle(_ isWanted: (ScrubRequest.Kind) -> Bool = { _ in true }) {
    // A response may cause one more request.
    for _ in 0..<8 {
      guard let request = model.background(), isWanted(request.kind) else { return }
      perform([request])
    }
  }

  private mutating func perform(_ requests: [ScrubRequest]) {
    for request in requests { model.take(engine.answer(request), of: request) }
  }
}
