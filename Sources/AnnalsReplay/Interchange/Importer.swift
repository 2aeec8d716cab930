import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

/// Imports lines of CloudEvents into a log.
///
/// Each transaction of the lines is one of the log. Many are committed together, with one sync of the disk. If the
/// process is killed, whole transactions are in the log, and another run of the import adds the rest.
struct Importer {
  /// The counts so far.
  struct Summary {
    var events = 0
    var transactions = 0
    /// The repeats: lines with an event that the log or an earlier line of the input has.
    var skipped = 0
    /// The repeats of an event that a compaction cut, so that only the identity could be compared.
    var cut = 0
  }

  private typealias Line = ParsedLines.Line

  /// The events of a transaction, and the append that they make.
  private struct Transaction {
    let lines: [Line]
    var append: LogFile.Ready
  }

  private let log: LogFile
  /// The ids of the log's records, with the events applied that are not committed yet.
  private var records = RecordIDs()
  /// The position up to which `records` has been folded.
  private var folded: Position = 0
  /// Lines that are being read as events.
  private var parsing = ParsedLines()
  /// Lines whose events the log may have: that is not known yet.
  private var arrived: [Line] = []
  /// The events of the transaction that may go on.
  private var pending: [Line] = []
  /// The transactions that are whole, and not committed yet.
  private var whole: [Transaction] = []
  /// The transactions that another thread commits now, and its answer to come.
  private var inFlight: (transactions: [Transaction], events: Int, answer: InFlight<GroupReceipt>)?
  /// The lines in `pending` and `whole`, and the lines in `inFlight`, by the identities of their events.
  private var (heldIDs, idsInFlight): ([EventID: Line], [EventID: Line]) = ([:], [:])
  /// The hash values of all identities that were taken.
  ///
  /// They take a fraction of the memory of the identities. An identity is looked up in a log that this import created
  /// only if its hash value was taken before.
  private var seen: Set<Int> = []
  /// How many events and bytes are in `arrived`, `pending` and `whole`.
  private var held = (events: 0, bytes: 0)
  /// True if the log may have events of the input that this import did not append.
  private var looksUp: Bool
  /// The label of the pending transaction; nil if it has none and so is a transaction of its own.
  private var label: JSONValue?
  private(set) var summary = Summary()

  /// How many lines are looked up together, and when whole transactions are committed.
  private static let (lookedUp, most) = (1_024, (events: 32_768, bytes: 16 << 20))

  /// Begins to import.
  ///
  /// If the log does not exist, the first transaction creates it.
  init(into log: LogFile) throws {
    self.log = log
    looksUp = try log.store.map { try $0.head() > 0 } ?? false
    try foldLog()
  }

  /// A line that cannot be imported.
  ///
  /// Its transaction, and what follows, is not in the log.
  struct BadLine: Error {
    let number: Int
    let message: String
    /// The event that has the same identity and another content, or nil for another problem.
    var conflict: Conflict?
  }

  /// An event that has the identity of a line's event, and another content.
  struct Conflict {
    /// A place of an event.
    enum Place {
      case line(Int)
      case position(Position)
    }

    let id: EventID
    let place: Place
    /// The names of the attributes that differ.
    let differences: [String]

    var line: Int? { if case .line(let line) = place { line } else { nil } }

    var position: Position? { if case .position(let position) = place { position } else { nil } }

    var message: String {
      let last = differences.last ?? ""
      let names = differences.count < 2 ? last : differences.dropLast().joined(separator: ", ") + " and " + last
      let place =
        switch place {
        case .line(let number): "line \(number)"
        case .position(let position): "position \(position) of the log"
        }
      return "the id \(JSONValue.quoted(id.id)) of the source \(JSONValue.quoted(id.source)) belongs to another event: "
        + "expected the event at \(place), found other values of \(names); if it is another event, "
        + "give it another id or source"
    }
  }

  /// How many events were read: those that are in the log, and those that will be.
  var readCount: Int { summary.events + summary.skipped + held.events + parsing.count + (inFlight?.events ?? 0) }

  /// Imports a line, now or with later ones; skips blank lines.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - number: Its number, from 1.
  /// - Throws: ``BadLine`` for this or an earlier line, and what the log throws.
  mutating func take(_ line: String, number: Int) throws {
    if line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
    for lines in parsing.add((number, line)) { try take(lines) }
  }

  /// Takes all lines that came.
  private mutating func takeAll() throws {
    while let lines = parsing.next() { try take(lines) }
    try sift()
  }

  private mutating func take(_ lines: [ParsedLines.Parsed]) throws {
    for line in lines {
      switch line {
      case .event(let line): try take(line)
      case .bad(let line, let message):
        try sift()
        // A bad line that may belong to the pending transaction discards it: no transaction is imported in part.
        switch CloudEvent.label(of: line.text) {
        case .known(let transaction): begin(transaction)
        case .unknown: if label == nil { seal() }
        }
        throw try bad(line.number, message)
      }
    }
  }

  private mutating func take(_ line: Line) throws {
    arrived.append(line)
    hold(line)
    if arrived.count >= Self.lookedUp || held.bytes >= Self.most.bytes { try sift() }
    if held.events >= Self.most.events || held.bytes >= Self.most.bytes {
      try sift()
      try beginCommit()
    }
  }

  /// Commits what is whole: all but the transaction that may go on.
  mutating func pause() throws {
    try takeAll()
    try commit()
  }

  /// Commits everything: the input is at its end.
  mutating func finish() throws {
    try takeAll()
    seal()
    try commit()
  }

  /// Commits what is whole, and discards a transaction that the line that cannot be read may belong to.
  mutating func stop() throws {
    try takeAll()
    if label == nil { seal() }
    pending = []
    try commit()
  }

  /// Commits the transactions before a bad line, and discards the pending one.
  ///
  /// - Returns: The error to throw.
  private mutating func bad(_ number: Int, _ message: String, _ conflict: Conflict? = nil) throws -> BadLine {
    parsing.removeAll()
    (arrived, pending) = ([], [])
    try commit()
    return BadLine(number: number, message: message, conflict: conflict)
  }

  /// Skips the lines that repeat an event, and adds the other lines to their transactions.
  private mutating func sift() throws {
    let lines = arrived
    arrived = []
    let known = try known(lines)
    for (line, found) in zip(lines, known) {
      begin(line.event.transaction)
      let id = line.event.id
      if let earlier = heldIDs[id] ?? idsInFlight[id] {
        let names = EventContent(line.event).differences(from: EventContent(earlier.event))
        try skip(line, names, at: .line(earlier.number))
        continue
      }
      if let found {
        try skip(line, found)
        continue
      }
      heldIDs[id] = line
      seen.insert(id.hashValue)
      try validate(line)
      pending.append(line)
    }
  }

  /// The events of the log that have the identities of lines.
  private func known(_ lines: [Line]) throws -> [LogFile.Found?] {
    if looksUp { return try log.found(lines.map(\.event.id)) }
    // This import appended all of the log's events.
    var known = [LogFile.Found?](repeating: nil, count: lines.count)
    let repeats = lines.indices.filter { seen.contains(lines[$0].event.id.hashValue) }
    for (index, found) in zip(repeats, try log.found(repeats.map { lines[$0].event.id })) { known[index] = found }
    return known
  }

  /// Counts a line with the identity of an event of the log.
  private mutating func skip(_ line: Line, _ found: LogFile.Found) throws {
    switch found {
    case .event(let event):
      try skip(line, EventContent(line.event).differences(from: event), at: .position(event.position))
    case .cut:
      summary.cut += 1
      try skip(line, [], at: .line(line.number))
    }
  }

  /// Counts a line that repeats an event.
  ///
  /// - Throws: ``BadLine`` if the event differs.
  private mutating func skip(_ line: Line, _ differences: [String], at place: Conflict.Place) throws {
    guard differences.isEmpty else {
      let conflict = Conflict(id: line.event.id, place: place, differences: differences)
      throw try bad(line.number, conflict.message, conflict)
    }
    summary.skipped += 1
    release(line)
  }

  /// Begins a transaction, unless the line continues the pending one.
  private mutating func begin(_ transaction: JSONValue?) {
    if transaction != nil, transaction == label { return }
    seal()
    label = transaction
  }

  /// The pending transaction is whole.
  private mutating func seal() {
    if !pending.isEmpty { whole.append(transaction(of: pending)) }
    pending = []
  }

  /// What lines append together.
  private func transaction(of lines: [Line]) -> Transaction {
    let entries = lines.map { Append.Entry(stream: $0.event.stream, event: $0.event.event) }
    return Transaction(lines: lines, append: log.ready(Append(entries)))
  }

  /// Commits the whole transactions, and waits until they are in the log.
  private mutating func commit() throws {
    while !whole.isEmpty || inFlight != nil {
      try beginCommit()
      try settle()
    }
  }

  /// Begins to commit the whole transactions; lines are read meanwhile.
  private mutating func beginCommit() throws {
    try settle()
    if whole.isEmpty { return }
    // The records are valid only if no other process has changed them.
    let condition = Append.Condition(noneMatching: RecordEvent.query, after: folded)
    // All are committed in one transaction of the file, so that the first one's condition holds for the others.
    whole[0].append.set([condition])
    for transaction in whole { transaction.lines.forEach { release($0) } }
    // None is in flight now.
    swap(&heldIDs, &idsInFlight)
    for line in pending { heldIDs[line.event.id] = line }
    inFlight = (whole, whole.reduce(0) { $0 + $1.lines.count }, try log.beginCommit(whole.map(\.append)))
    whole = []
  }

  /// Waits for what is being committed.
  ///
  /// If another process was quicker, what is not committed is made ready to be committed again.
  private mutating func settle() throws {
    guard let (transactions, _, answer) = inFlight else { return }
    inFlight = nil
    let found = try answer.wait()
    if let last = found.receipts.last { folded = last.position }
    summary.transactions += found.receipts.count
    for transaction in transactions.prefix(found.receipts.count) { summary.events += transaction.lines.count }
    let rest = transactions.dropFirst(found.receipts.count)
    for transaction in rest { transaction.lines.forEach { hold($0) } }
    whole.insert(contentsOf: rest, at: 0)
    if !rest.isEmpty { heldIDs.merge(idsInFlight) { _, line in line } }
    idsInFlight.removeAll(keepingCapacity: true)
    switch found.refusal {
    case nil: return
    case let error as EventStoreError where error.isConflict || error.code == .duplicateEvent || error.isUnknown:
      // What was sent and not answered is found by its identities, or met by them when it is sent again.
      try catchUp()
    case let error as EventStoreError where error.code == .invalidAppend:
      throw BadLine(number: whole[0].lines[0].number, message: error.message)
    case let error?: throw error
    }
  }

  /// Reads what others appended in the meantime.
  ///
  /// Skips what they imported too, and validates the rest again.
  private mutating func catchUp() throws {
    try foldLog()
    looksUp = true
    let (transactions, open) = (whole, pending)
    (whole, pending) = ([], [])
    // All are asked for together: a log on a server is not waited for at each transaction.
    var known = try log.found((transactions.flatMap(\.lines) + open).map(\.event.id))[...]
    for transaction in transactions {
      let rest = try news(of: transaction.lines, &known)
      if !rest.isEmpty { whole.append(self.transaction(of: rest)) }
    }
    pending = try news(of: open, &known)
  }

  /// The lines whose events the log does not have, validated again.
  private mutating func news(of lines: [Line], _ known: inout ArraySlice<LogFile.Found?>) throws -> [Line] {
    var rest: [Line] = []
    defer { known = known.dropFirst(lines.count) }
    for (line, found) in zip(lines, known) {
      if let found {
        heldIDs[line.event.id] = nil
        try skip(line, found)
      } else {
        try validate(line)
        rest.append(line)
      }
    }
    return rest
  }

  private mutating func validate(_ line: Line) throws {
    do {
      try records.apply(line.record, type: line.event.event.type, payload: line.event.event.payload)
    } catch {
      throw try bad(line.number, "\(error)")
    }
  }

  private mutating func hold(_ line: Line) {
    held.events += 1
    held.bytes += line.bytes
  }

  /// Counts a line no longer: another thread commits it, or the log has it.
  private mutating func release(_ line: Line) {
    held.events -= 1
    held.bytes -= line.bytes
  }

  /// Folds the records of the whole log.
  private mutating func foldLog() throws {
    guard let store = log.store else { return }
    (records, folded) = try store.read { log in
      var records = RecordIDs()
      let end = try log.head()
      try log.forEachEvent(RecordEvent.query, through: end) { event in
        do {
          try records.apply(type: event.type, payload: event.payload)
        } catch {
          throw EventStoreError(
            .corrupt,
            "event \(event.position) of the log isn't a valid record event: \(error); records cannot be added to it")
        }
      }
      return (records, end)
    }
  }
}
