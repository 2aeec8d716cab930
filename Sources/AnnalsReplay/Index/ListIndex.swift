import Annals
import AnnalsLog
import Foundation

/// The places of a list's records at all positions of a log.
///
/// The index contains positions, the order of rows, and hashes of their ids, but no value of a payload. A record's
/// values are read from the record's own events.
struct ListIndex: Sendable {
  /// The time during which a record is at one place in the list: from one event up to the event before another.
  struct Stay: Sendable {
    let row: UInt32
    let from: UInt32
    let to: UInt32

    func contains(_ position: UInt32) -> Bool { from <= position && position < to }

    /// The end of a stay that has not ended.
    static let never = UInt32.max
  }

  /// The last position that the index covers.
  var end: Position
  /// A hash of the log's events and of its history.
  var stamp: UInt64
  /// The hashes of the records' ids, in the order of rows by id.
  var hashes: [UInt64]
  /// For every record the index of its first event in `events`, and at last the number of events.
  var firstEvents: [UInt32]
  /// The positions of the records' events.
  var events: [UInt32]
  /// The times during which records exist, by record.
  var lives: [Stay]
  /// The times during which records are at one place in their section, by section and then in the list's order.
  var stays: [Stay]
  /// For every section the index of its first stay in `stays`, and at last the number of stays.
  var sections: [UInt32]
  /// The positions of events that rename sections.
  var renames: [UInt32]

  /// The positions of a record's events up to a position.
  func events(of row: UInt32, through position: Position) -> ArraySlice<UInt32> {
    events[Int(firstEvents[Int(row)])..<Int(firstEvents[Int(row) + 1])].prefix { $0 <= position.rawValue }
  }

  /// The positions of the events of the records with a hash of their ids, up to a position.
  func events(ofHash hash: UInt64, through position: Position) -> [UInt32] {
    let first = hashes.firstIndexInOrder { $0 >= hash }
    return hashes[first...].prefix { $0 == hash }.indices.flatMap { events(of: UInt32($0), through: position) }.sorted()
  }

  /// The records in a part of the stays at a position, in order.
  static func rows(_ stays: ArraySlice<Stay>, at position: Position) -> [UInt32] {
    let position = UInt32(position.rawValue)
    var rows: [UInt32] = []
    for stay in stays where stay.contains(position) { rows.append(stay.row) }
    return rows
  }

  func stays(ofSection section: Int) -> ArraySlice<Stay> {
    stays[Int(sections[section])..<Int(sections[section + 1])]
  }
}

// The changes of places and counts over time.
extension ListIndex {
  /// Returns the positions after which a row may have another path, the latest first.
  ///
  /// They begin with the event that brought the row to its place in its section.
  ///
  /// - Parameters:
  ///   - hash: The hash of the row's id.
  ///   - position: A position at which the list has the row.
  /// - Returns: The positions up to the given one, or `nil` if the list has no row or several rows with the hash.
  func moves(ofHash hash: UInt64, at position: Position) -> [Position]? {
    let last = UInt32(position.rawValue)
    let found = stays.indices.filter { stays[$0].contains(last) && hashes[Int(stays[$0].row)] == hash }
    guard found.count == 1, let place = found.first else { return nil }
    let since = stays[place].from
    let own = sections.firstIndexInOrder { $0 > place } - 1
    /// By how many rows before the row each event after `since` changes.
    var deltas = [Int32](repeating: 0, count: Int(last - since) + 1)
    func add(_ delta: Int32, at position: UInt32) {
      if position > since, position <= last { deltas[Int(position - since)] += delta }
    }
    for stay in stays[Int(sections[own])..<place] {
      add(1, at: stay.from)
      add(-1, at: stay.to)
    }
    var marked = Set(renames.filter { $0 > since && $0 <= last })
    for section in 0..<sections.count - 1 where section != own {
      let stays = stays(ofSection: section)
      // A section with rows all the time keeps its place.
      if stays.contains(where: { $0.from <= since && $0.to > last }) { continue }
      marked.formUnion(Self.turns(stays).filter { $0 > since && $0 <= last })
    }
    let moves = deltas.indices.reversed().lazy.map { UInt32($0) + since }.filter {
      deltas[Int($0 - since)] != 0 || $0 == since || marked.contains($0)
    }
    return moves.map { Position(Int($0)) }
  }

  /// The positions at which the first of some stays begins, or the last of them ends.
  private static func turns(_ stays: ArraySlice<Stay>) -> [UInt32] {
    counts(stays).filter { ($0.before == 0) != ($0.after == 0) }.map(\.position)
  }

  /// The number of stays before and after each position that changes it, in order.
  private static func counts(_ stays: ArraySlice<Stay>) -> [(position: UInt32, before: Int, after: Int)] {
    let changes = stays.map { ($0.from, 1) } + stays.filter { $0.to != Stay.never }.map { ($0.to, -1) }
    var (found, count) = ([] as [(position: UInt32, before: Int, after: Int)], 0)
    for (position, change) in changes.sorted(by: { $0.0 < $1.0 }) {
      if found.last?.position == position {
        found[found.count - 1].after += change
      } else {
        found.append((position, count, count + change))
      }
      count += change
    }
    return found
  }

  /// The positions at which a condition on the number of rows begins or ceases to hold.
  func turns(_ holds: (Int) -> Bool) -> [Position] {
    Self.counts(lives[...]).filter { holds($0.before) != holds($0.after) }.map { Position(Int($0.position)) }
  }
}

extension ListIndex: SavedIndex {
  private static let format: UInt64 = 1

  var bytes: Data {
    var writer = IndexWriter()
    writer.write([Self.format, UInt64(end.rawValue), stamp])
    writer.write(hashes)
    for numbers in [firstEvents, events, sections, renames] { writer.write(numbers) }
    for stays in [lives, stays] {
      for part in [\Stay.row, \Stay.from, \Stay.to] { writer.write(stays.map { $0[keyPath: part] }) }
    }
    return writer.sealed
  }

  /// Reads an index, and checks all its numbers, because any program can have written them.
  ///
  /// - Throws: ``IndexReader/Damage``.
  init(_ bytes: Data) throws {
    var reader = try IndexReader(bytes)
    let head = try reader.numbers(UInt64.self)
    guard head.count == 3, head[0] == Self.format, head[1] < UInt64(Stay.never) else { throw IndexReader.Damage() }
    (end, stamp) = (Position(Int(head[1])), head[2])
    hashes = try reader.numbers()
    (firstEvents, events) = (try reader.numbers(), try reader.numbers())
    (sections, renames) = (try reader.numbers(), try reader.numbers())
    func stays() throws -> [Stay] {
      let (rows, from, to) =
        (try reader.numbers(UInt32.self), try reader.numbers(UInt32.self), try reader.numbers(UInt32.self))
      guard rows.count == from.count, rows.count == to.count else { throw IndexReader.Damage() }
      return rows.indices.map { Stay(row: rows[$0], from: from[$0], to: to[$0]) }
    }
    (lives, self.stays) = (try stays(), try stays())
    let (last, count) = (UInt32(end.rawValue), hashes.count)
    func isRising(_ numbers: [UInt32], to end: Int) -> Bool {
      numbers.first == 0 && numbers.last.map(Int.init) == end && zip(numbers, numbers.dropFirst()).allSatisfy(<=)
    }
    func isSound(_ stays: [Stay]) -> Bool {
      stays.allSatisfy { $0.row < count && $0.from > 0 && $0.from < $0.to && ($0.to <= last || $0.to == Stay.never) }
    }
    guard reader.isAtEnd, isRising(firstEvents, to: events.count), firstEvents.count == count + 1,
      isRising(sections, to: self.stays.count), events.allSatisfy({ 1...last ~= $0 }), isSound(lives),
      isSound(self.stays), zip(hashes, hashes.dropFirst()).allSatisfy(<=)
    else { throw IndexReader.Damage() }
  }
}
