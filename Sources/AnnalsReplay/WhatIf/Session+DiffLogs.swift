import Annals

extension Session {
  /// Throws if options of one kind of diff are given to another.
  func checkDiff() throws {
    let kind = arguments.operands.count == 2 ? "LOG2" : arguments.has("--code") ? "--code" : "two positions"
    if arguments.operands.count == 2, arguments.has("--code") {
      throw ReplayError.usage("LOG2 and --code cannot be given together")
    }
    let fitting: [String: [String]] = [
      "LOG2": ["--at", "--at2"], "--code": ["--from", "--to", "--every"],
      "two positions": ["--from", "--to", "--without", "--instead", "--list-dropped"],
    ]
    let all = ["--from", "--to", "--at", "--at2", "--every", "--without", "--instead", "--list-dropped"]
    for name in all where arguments.has(name) && !(fitting[kind] ?? []).contains(name) {
      throw ReplayError.usage("\(name) is not for a diff of \(kind == "LOG2" ? "two logs" : kind)")
    }
  }

  /// Compares the lists of two logs, and then their events.
  func runDiffOfLogs() throws -> ReplayError.Status {
    let paths = arguments.operands
    let log = try LogExtent(openStore())
    let other = try LogExtent(openStore(paths[1]))
    let at = try place("--at", in: log) ?? log.end
    let at2 = try place("--at2", in: other) ?? other.end
    let parting = try LogComparison(log, through: at, other, through: at2).parting(Progress(console))
    let batch = try difference(log, at, other, at2)
    if isJSON {
      let empty = ListBatch(from: at, to: at2, sections: [], rows: [])
      let members = ",\"log2\":\(JSONValue.quoted(paths[1]))" + parting.members
      try printJSON(
        JSONLines.adding(members, to: JSONLines.batch(batch ?? empty, from: at, inserting: nil, counted: countsOnly)))
    } else if let batch, !batch.isEmpty {
      let lines = TextLines(console, times).batch(batch, from: at, counted: countsOnly)
      try print(Text.safe("\(at) of \(paths[0]) → \(at2) of \(paths[1])"))
      for line in lines.dropFirst() { try print(line) }
    }
    for sentence in parting.sentences(paths, times) { say(Text.safe(sentence)) }
    return batch?.isEmpty ?? true ? .done : .negative
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
    if source is RecordSource, !first.isWaiting { options.collection = first.name }
    let second: any ListReader
    do {
      second = try source.open(other.store, options, through: at2)
    } catch let error as ReplayError {
      throw ReplayError(error.status, "\(arguments.operands[1]): \(error.message)")
    }
    _ = try first.go(to: at)
    _ = try second.go(to: at2)
    let batch = try first.difference(to: second)
    tellOfFields(first)
    return batch
  }
}
