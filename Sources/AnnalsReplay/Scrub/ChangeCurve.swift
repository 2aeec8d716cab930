import Annals

/// How a log's events are spread over its transactions: the bars above the list.
///
/// All columns represent the same number of transactions, so that a step moves the cursor evenly. A bar is higher if
/// its transactions have more events. The curve reads some hundred events, however long the log is.
struct ChangeCurve: Sendable {
  /// A position with its time, and the number of its transaction.
  private struct Sample: Sendable {
    let position: Int
    let transaction: Double
    let time: Int64
  }

  private let samples: [Sample]
  let end: Position

  /// Reads events of a log at even distances.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - end: Its last position.
  ///   - most: The largest number of events to read.
  /// - Throws: `EventStoreError`.
  init(_ log: any EventLog, through end: Position, most: Int = 512) throws {
    self.end = end
    var samples: [Sample] = []
    let count = min(most, end.rawValue)
    for index in 0..<count {
      let position = count == 1 ? end.rawValue : 1 + (end.rawValue - 1) * index / (count - 1)
      // Positions may have gaps where the log was compacted.
      guard let event = try log.events(.all, after: Position(position - 1), through: end, limit: 1).first else { break }
      if let last = samples.last, last.position >= event.position.rawValue { continue }
      samples.append(
        Sample(
          position: event.position.rawValue, transaction: Double(event.transaction), time: event.time.microseconds))
    }
    self.samples = samples
  }

  /// The number of transactions from the first sample to the last one, and the number before the first one.
  private var span: (all: Double, before: Double) {
    guard let first = samples.first, let last = samples.last else { return (1, 0) }
    return (last.transaction - first.transaction + 1, first.transaction - 1)
  }

  /// The column of a position, in a line of some columns.
  func column(of position: Position, width: Int) -> Int {
    let place = (transaction(at: position.rawValue) - span.before) / span.all
    return position == 0 ? 0 : min(width - 1, max(0, Int((min(1, place) * Double(width)).rounded(.up)) - 1))
  }

  /// The last position of a column, in a line of some columns.
  func position(ofColumn column: Int, width: Int) -> Position {
    Position(Int(position(at: span.before + span.all * Double(column + 1) / Double(width)).rounded()))
  }

  /// The last position of the bar in a column.
  ///
  /// The bar of one transaction can fill several columns.
  func end(ofBarIn column: Int, width: Int) -> Position {
    let (all, before) = span
    if all >= Double(width) { return position(ofColumn: column, width: width) }
    return Position(Int(position(at: (before + all * Double(column) / Double(width)).rounded(.down) + 1).rounded()))
  }

  /// The time of the event nearest to a column, nil in an empty log.
  func time(ofColumn column: Int, width: Int) -> Int64? {
    let position = position(ofColumn: column, width: width).rawValue
    return samples.min { abs($0.position - position) < abs($1.position - position) }?.time
  }

  /// The bars, from empty to full.
  func bars(width: Int) -> String {
    let levels = Array("▁▂▃▄▅▆▇█")
    let heights = heights(width: width)
    let (low, high) = (heights.filter { $0 > 0 }.min() ?? 0, heights.max() ?? 0)
    return String(
      heights.map { height in
        if height <= 0 { return " " }
        // Equal heights are a low line.
        if high <= low * 1.01 { return levels[0] }
        return levels[min(7, Int((height - low) / (high - low) * 7.999))]
      })
  }

  /// The number of events of every column.
  private func heights(width: Int) -> [Double] {
    guard !samples.isEmpty, width > 0 else { return Array(repeating: 0, count: max(0, width)) }
    let (all, before) = span
    // A transaction that fills several columns shows all its events in each of them.
    let step = max(1, all / Double(width))
    return (0..<width).map { column in
      var begin = before + all * Double(column) / Double(width)
      if all < Double(width) { begin = begin.rounded(.down) }
      return max(0, position(at: begin + step) - position(at: begin))
    }
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
    // The first later event: its position begins where the transaction ended.
    guard let next = samples.firstIndex(where: { $0.transaction > transaction }) else { return Double(last.position) }
    let (from, to) = (samples[next - 1], samples[next])
    if to.position - from.position == 1 { return Double(from.position) }
    let part = (transaction - from.transaction) / (to.transaction - from.transaction)
    return Double(from.position) + Double(to.position - from.position) * part
  }
}
