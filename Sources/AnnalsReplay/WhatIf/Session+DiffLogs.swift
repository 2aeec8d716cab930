import Annals

extension Session {
  /// Compares the lists of two logs, and then their events.
  func runDiffOfLogs() throws -> ReplayError.Status {
    let paths = arguments.operands
    let words = ["--each", "--check", "--batch", "--with-list", "--without", "--instead"].filter { arguments.has($0) }
    if let word = words.first { throw ReplayError.usage("\(word) is not for a diff of two logs") }
    if paths.count > 4 {
      throw ReplayError.usage("\(tool) diff LOG LOG2: expected at most two places, found \"\(paths[4])\"")
    }
    let log = try LogExtent(openStore())
    let other = try LogExtent(openStore(paths[1]))
    let at = try paths.count > 2 ? place(paths[2], of: "PLACE", in: log) : log.end
    let at2 = try paths.count > 3 ? place(paths[3], of: "PLACE2", in: other) : other.end
    let parting = try LogComparison(log, through: at, other, through: at2).parting(Progress(console))
    let batch = try difference(log, at, other, at2)
    if isData {
      let empty = ListBatch(from: at, to: at2, sections: [], rows: [])
      var output = BatchOutput(batch ?? empty, from: at, isCounted: countsOnly)
      output.comparison = ComparisonOutput(
        log2: paths[1], equal: parting.equal, hasIDs: parting.hasIDs,
        events: parting.events.map { $0.map { EventCause($0) } })
      try print(output, as: countsOnly ? BatchOutput.form.whole : BatchOutput.form)
    } else if let batch, !batch.isEmpty {
      let lines = textLines.batch(batch, from: at, counted: countsOnly)
      try print(Text.safe("\(at) of \(paths[0]) → \(at2) of \(paths[1])"))
      for line in lines.dropFirst() { try print(line) }
    }
    let isEqual = batch?.isEmpty ?? true
    if isEqual, !parting.isWhole { say("the lists are equal, but the events are not") }
    for sentence in parting.sentences(paths, times) { say(Text.safe(sentence)) }
    return isEqual && parting.isWhole ? .done : .negative
  }

  /// What is different in another log's list; nil if neither log has a list.
  private func difference(
    _ log: LogExtent, _ at: Position, _ other: LogExtent, _ at2: Position
  ) throws -> ListBatch? {
    var options = try listOptions()
    // An empty log has the list of the other one.
    let chooser = try log.types().isEmpty ? other : log
    guard let source = try source(options, in: chooser) else { return nil }
    let first = try source.open(log.store, options, through: at)
    if source is RecordSource, !first.isWaiting { options.list = first.name }
    let second: any ListReader
    do {
      second = try source.open(other.store, options, through: at2)
    } catch let error as ReplayError {
      throw ReplayError(error.status, "\(arguments.operands[1]): \(error.message)")
    }
    _ = try first.go(to: at)
    _ = try second.go(to: at2)
    let batch = try first.difference(to: second)
    try checkFields(first, in: log)
    return batch
  }
}
