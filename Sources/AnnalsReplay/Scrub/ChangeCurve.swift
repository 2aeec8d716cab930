import Annals

/// How a log's events are spread over its transactions: the line above the list.
///
/// Each column stands for as many transactions as any other, so that a step moves the cursor evenly; its bar is the
/// higher the more events they have. Only some hundred events are looked at, however long the log is.
struct ChangeCurve: Sendable {
  /// A position, and how many transactions end before it.
  private struct Sample: Sendable {
    let position: Int
    let transaction: Double
  }

  private let samples: [Sample]
  let end: Position

  /// Looks at a log.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - end: Its last position.
  ///   - most: How many events are looked at, at most.
  init(_ log: any EventLog, through end: Position, most: Int = 512) throws {
    self.end = end
    var samples: [Sample] = []
    let count = min(most, end.rawValue)
    for index in 0..<count {
      let position = count == 1 ? end.rawValue : 1 + (end.rawValue - 1) * index / (count - 1)
      // Positions may have holes where the log was compacted.
      guard let event = try log.events(.all, after: Position(position - 1), through: end, limit: 1).first else { break }
      if let last = samples.last, last.position >= event.position.rawValue { continue }
      samples.append(Sample(position: event.position.rawValue, transaction: Double(event.transaction)))
    }
    self.samples = samples
  }

  /// Where a position is, from 0 to 1.
  func place(of position: Position) -> Double {
    guard let first = samples.first, let last = samples.last, position > 0 else { return 0 }
    let all = last.transaction - first.transaction + 1
    return min(1, max(0, (transaction(at: position.rawValue) - first.transaction + 1) / all))
  }

  /// The column of a position, in a line of some columns.
  func column(of position: Position, width: Int) -> Int {
    position == 0 ? 0 : min(width - 1, max(0, Int((place(of: position) * Double(width)).rounded(.up)) - 1))
  }

  /// How many events each column has.
  func heights(width: Int) -> [Double] {
    guard let first = samples.first, let last = samples.last, width > 0 else {
      return Array(repeating: 0, count: max(0, width))
    }
    let all = last.transaction - first.transaction + 1
    // Where a transaction fills several columns, each of them shows all its events.
    let span = max(1, all / Double(width))
    return (0..<width).map { column in
      var begin = first.transaction - 1 + all * Double(column) / Double(width)
      if all < Double(width) { begin = begin.rounded(.down) }
      return max(0, self.position(at: begin + span) - self.position(at: begin))
    }
  }

  /// The bars, from nothing to full.
  func bars(width: Int) -> String {
    let levels = Array("▁▂▃▄▅▆▇█")
    let heights = heights(width: width)
    let (low, high) = (heights.filter { $0 > 0 }.min() ?? 0, heights.max() ?? 0)
    return String(
      heights.map { height in
        if height <= 0 { return " " }
        // If all are alike, a low line says that nothing stands out.
        if high <= low * 1.01 { return levels[0] }
        return levels[min(7, Int((height - low) / (high - low) * 7.999))]
      })
  }

  private func transaction(at position: Int) -> Double {
    guard let next = samples.firstIndex(where: { $0.position >= position }) else {
      return samples.last?.transaction ?? 0
    }
    if next == 0 || samples[next].position == position { return samples[next].transaction }
    let (from, to) = (samples[next - 1], samples[next])
    let part = Double(position - from.position) / Double(to.position - from.position)
    return from.transaction + (to.transaction - from.transaction) * part
  }

  /// The last position of a transaction.
  private func position(at transaction: Double) -> Double {
    guard let first = samples.first, let last = samples.last else { return 0 }
    if transaction < first.transaction { return Double(first.position - 1) }
    if transaction >= last.transaction { return Double(last.position) }
    // The first that is later: its position begins where the transaction ended.
    guard let next = samples.firstIndex(where: { $0.transaction > transaction }) else { return Double(last.position) }
    let (from, to) = (samples[next - 1], samples[next])
    if to.position - from.position == 1 { return Double(from.position) }
    let part = (transaction - from.transaction) / (to.transaction - from.transaction)
    return Double(from.position) + Double(to.position - from.position) * part
  }
}
