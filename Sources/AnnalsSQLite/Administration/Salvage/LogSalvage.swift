import AnnalsLog
import Foundation

/// A scan that finds the intact rows of a damaged log, regardless of the pages that contain them.
///
/// The scan reads every page and every row on it, instead of relying on indexes and trees. It accepts an event only if
/// the event's checksum matches. Names have no checksums, so it accepts a name if the name makes an event's checksum
/// match.
struct LogSalvage {
  /// The location of an event that the scan found.
  struct Place {
    let position: Int
    let transaction: Int
    let page: Int
    let cell: Int
  }

  let pages: SalvagedPages
  /// The events that the scan found, sorted by position.
  private(set) var events: [Place] = []
  /// The names that each key might refer to.
  private var names: [Int64: [String]] = [:]
  /// Names that were found in indexes, for keys whose own page is lost.
  ///
  /// Index entries for tags have the same columns as entries for names, so only a few candidates are kept per key.
  private var namesInIndexes: [Int64: [String]] = [:]
  /// Shared metadata that were found in indexes.
  private var metadataInIndexes: [Int64: [String]] = [:]
  private(set) var personal: [Int64: [Int: PersonalField]] = [:]
  private(set) var erasures: [ExactString: Int64] = [:]
  private(set) var commands: [CommandReceipts.Row] = []
  /// The calls for which command ids were used.
  private(set) var uses: [ExactString: CommandUse] = [:]
  private(set) var checkpoints: [Checkpoints.Row] = []
  /// The command ids of drafts' merges, by the draft's name, and the drafts' commands with their order.
  private(set) var draftIDs: [ExactString: String] = [:]
  private(set) var draftCommands: [(row: DraftTables.Row, place: Int64)] = []
  /// The log's last position as stored in the log, or `nil` if the stored number was not found.
  private(set) var counted: Int?
  private(set) var compacted: (horizon: Int, cut: Int) = (0, 0)
  /// True if the log was not closed by its last writer.
  private(set) var isOpen = false
  /// The names that made a checksum match, by column and key.
  private var known: [[Int64: String]] = [[:], [:], [:], [:]]

  init(_ pages: SalvagedPages, _ progress: (Int, Int) throws -> Void) throws {
    self.pages = pages
    let free = pages.freePages()
    for number in stride(from: 1, through: pages.count, by: 1) where !free.contains(number) {
      if number % 1_000 == 0 { try progress(number, pages.count) }
      pages.forEachRow(ofPage: number) { cell, row in
        take(row, Place(position: 0, transaction: 0, page: number, cell: cell))
      }
    }
    events.sort { $0.position < $1.position }
  }

  private mutating func take(_ row: SalvagedRow, _ place: Place) {
    guard let key = row.key else { return takeOfTree(row) }
    switch row.values.count {
    case 13:
      guard LogNumber.isPlace(key), let transaction = row.int(1), LogNumber.isPlace(transaction), row.id(7) != nil
      else {
        return
      }
      events.append(Place(position: Int(key), transaction: Int(transaction), page: place.page, cell: place.cell))
    case 2:
      if row.text(0) == "event", let count = row.int(1), LogNumber.isPlace(count) {
        counted = max(counted ?? 0, Int(count))
      } else if row.isNull(0), let name = row.text(1) {
        names[key, default: []].append(name)
      }
    // A stream of format 1, with its version.
    case 3:
      if row.isNull(0), let name = row.text(1), row.int(2) != nil { names[key, default: []].append(name) }
    case 6:
      guard let subject = row.text(1), let position = row.int(2), row.int(3) != nil, row.int(4) != nil else { return }
      erasures[ExactString(subject)] = max(erasures[ExactString(subject)] ?? 0, position)
    case 8:
      guard row.isNull(0), let horizon = row.int(1), let cut = row.int(4), LogNumber.isPlace(horizon), cut >= 0,
        cut <= horizon
      else { return }
      compacted = (max(compacted.horizon, Int(horizon)), compacted.cut + Int(cut))
    default: return
    }
  }

  /// Adds a row of a table without rowids, which SQLite stores in a tree of primary keys.
  ///
  /// A row with a checksum is accepted only if the checksum matches.
  private mutating func takeOfTree(_ row: SalvagedRow) {
    if row.values.count == 2, let name = row.text(0) {
      if let key = row.int(1), key > 0, key <= 100_000 {
        if name.hasPrefix("{") {
          if metadataInIndexes[key]?.count ?? 0 < 4 { metadataInIndexes[key, default: []].append(name) }
        } else if namesInIndexes[key]?.count ?? 0 < 4 {
          namesInIndexes[key, default: []].append(name)
        }
      }
      // The row is set while a program has the log open: see `LogWriter`.
      if name == "open" { isOpen = row.text(1) == "1" }
    } else if row.values.count == 7, let id = row.text(0), let time = row.int(1), let position = row.int(2),
      let count = row.int(3), let versions = row.text(5), let checksum = row.int(6)
    {
      let found = CommandReceipts.Row(
        id: id, time: time, position: position, count: count, transaction: row.int(4) ?? 0, versions: versions)
      if Int64(found.checksum) == checksum { commands.append(found) }
    } else if row.values.count == 5, let position = row.int(0), let place = row.int(1), let subject = row.text(2) {
      let field = PersonalField(subject: subject, object: row.text(3))
      guard let place = Int(exactly: place), let checksum = row.int(4),
        Int64(PersonalTables.checksum(of: field, at: position, place)) == checksum
      else { return }
      personal[position, default: [:]][place] = field
    } else if row.values.count == 5, let name = row.text(0), let position = row.int(2), let time = row.int(3) {
      let found = Checkpoints.Row(name: name, position: position, time: time)
      if Int64(found.checksum) == row.int(4) {
        checkpoints.append(found)
      } else if let id = row.text(1), row.int(4) != nil {
        // A row of a draft has the same number of columns with the same types.
        draftIDs[ExactString(name)] = id
      }
    } else if row.values.count == 4, let id = row.text(0), let call = row.text(1), let checksum = row.int(3) {
      var use = CommandUse(call: call, digest: row.text(2))
      guard CommandUses.checksum(id, use) == checksum else { return }
      // A digest from an older format doesn't match the same command now: see `ExclusiveMigration`.
      if let format = pages.format, format < Schema.version { use = CommandUse(call: call, digest: nil) }
      uses[ExactString(id)] = use
    } else if row.values.count == 6, let draft = row.text(0), let number = row.int(1), let place = row.int(2),
      let subjects = row.text(3), let checksum = row.int(5)
    {
      let found = DraftTables.Row(
        draft: draft, number: number, subjects: subjects, text: row.text(4), checksum: checksum)
      if !found.isDamaged { draftCommands.append((found, place)) }
    }
  }

  /// Returns the event at a location, or `nil` if the event's checksum does not match.
  mutating func event(_ place: Place) -> StoredEvent? {
    guard let row = pages.row(ofPage: place.page, cell: place.cell), let version = row.int(3), let schema = row.int(5),
      let id = row.id(7), let time = row.int(8), let tagText = row.text(9), let checksum = row.int(12),
      LogNumber.isPlace(version), row.isNull(10) || row.text(10) != nil
    else { return nil }
    let payload = row.text(10)
    let keys = [row.int(2) ?? 0, row.int(4) ?? 0, row.int(6) ?? 0, row.int(11) ?? 0]
    // The metadata are the event's own or shared.
    let metadataTexts =
      row.text(11).map { [$0] } ?? candidates(3, keys[3], in: metadataInIndexes).filter { $0.hasPrefix("{") }
    func fits(_ stream: String, _ type: String, _ source: String, _ metadataText: String) -> Bool {
      Int64(
        EventChecksum.of(
          position: place.position, transaction: place.transaction, stream: stream, version: Int(version), type: type,
          schema: Int(schema), source: source, id: id, time: time, tagText: tagText, payload: payload,
          metadataText: metadataText)) == checksum
    }
    var found: [String]?
    search: for stream in candidates(0, keys[0], in: namesInIndexes) {
      for type in candidates(1, keys[1], in: namesInIndexes) {
        for source in candidates(2, keys[2], in: namesInIndexes) {
          for text in metadataTexts where fits(stream, type, source, text) {
            found = [stream, type, source, text]
            break search
          }
        }
      }
    }
    guard let found else { return nil }
    for column in 0..<(row.text(11) == nil ? 4 : 3) { known[column][keys[column]] = found[column] }
    var tags: Set<EventTag> = []
    if tagText != "[]" {
      guard case .array(let words)? = try? JSONValue(parsing: tagText) else { return nil }
      tags = Set(words.compactMap { if case .string(let text) = $0 { EventTag(text) } else { nil } })
    }
    guard let metadata = try? Metadata(json: found[3]) else { return nil }
    return StoredEvent(
      position: Position(place.position), transaction: place.transaction, stream: StreamName(found[0]),
      version: Int(version), id: EventID(source: found[2], id: id), type: found[1], schema: Int(schema),
      time: Date(microseconds: time), tags: tags, payload: payload, metadata: metadata)
  }

  /// Returns the possible names for a key in a column, beginning with the name that matched last.
  private func candidates(_ column: Int, _ key: Int64, in indexes: [Int64: [String]]) -> [String] {
    let all = (names[key] ?? []) + (indexes[key] ?? [])
    guard let first = known[column][key] else { return all }
    return [first] + all.filter { ExactString($0) != ExactString(first) }
  }
}
