import Annals
import Foundation
import Synchronization

/// A version of a list that a feed remembers.
final class FeedVersion<Row: Annals.Row>: Sendable {
  /// The number of the version, which increases by 1.
  let number: Int
  /// The previous version's list, or `nil` for the first version.
  let old: Results<Row>?
  let list: Results<Row>
  /// The changes since the previous version, once a reader needed them.
  private let json = Mutex<String?>(nil)
  private let encodedBytes = Atomic(0)

  init(_ number: Int, _ old: Results<Row>?, _ list: Results<Row>) {
    (self.number, self.old, self.list) = (number, old, list)
  }

  /// The size of the encoded changes, or 0 until a reader needed them.
  var bytes: Int { encodedBytes.load(ordering: .relaxed) }

  /// Returns the changes since the previous version, which are encoded once for all readers.
  ///
  /// While one reader encodes the changes, other readers wait, because the encoding would take all of them the same
  /// time.
  ///
  /// - Returns: The message, and true if this call encoded the changes.
  func message(_ encoder: JSONEncoder) throws -> (message: ListFeed<Row>.Message, isNew: Bool) {
    let (json, isNew) = try json.withLock { json in
      if let json { return (json, false) }
      let made = try encoder.text(of: ListChanges(Changes(from: old ?? list, to: list)))
      json = made
      encodedBytes.store(made.utf8.count, ordering: .relaxed)
      return (made, true)
    }
    return (ListFeed.Message(position: list.position, json: json), isNew)
  }
}

extension JSONEncoder {
  func text(of value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }
}

/// The versions of a list that a feed remembers.
struct FeedVersions<Row: Annals.Row>: Sendable {
  /// The number of versions to keep at least, if their messages aren't larger than ``byteLimit``.
  let capacity: Int
  /// The maximum size of the kept messages.
  let byteLimit: Int
  private var kept: [FeedVersion<Row>] = []
  /// The number of the first version since which the positions increase, so that a position determines the version.
  private var settled = 0
  /// The number of the first version after the latest erasure.
  private var erased = 0
  /// The request and the erasures of the latest list.
  private var basis: WatchedBasis?

  init(capacity: Int, byteLimit: Int) { (self.capacity, self.byteLimit) = (capacity, byteLimit) }

  var latest: FeedVersion<Row>? { kept.last }

  /// Adds a version.
  ///
  /// - Parameters:
  ///   - list: The version's list.
  ///   - basis: The request and the erasures of the list.
  ///   - equal: The latest list, if it has the same position, sections and rows as the version's list.
  /// - Returns: The forgotten versions, or `nil` if the list is the latest version.
  mutating func add(
    _ list: Results<Row>, of basis: WatchedBasis?, equalTo equal: Results<Row>?
  ) -> [FeedVersion<Row>]? {
    let number = (latest?.number ?? 0) + 1
    if let old = latest?.list {
      if old.position == list.position, old.storage === list.storage, basis == self.basis { return nil }
      // For example, the list was rebuilt after a compaction. A position still determines the list.
      if let equal, basis == self.basis, let replaced = replace(equal, by: list) { return [replaced] }
      // An erasure, or a changed request, can be delivered together with later events.
      if list.position <= old.position || basis != self.basis { settled = number }
      if basis?.erasures != self.basis?.erasures {
        erased = number
        // The messages of earlier versions can contain the erased values, so they are never sent again.
        kept = kept.map { FeedVersion($0.number, $0.old, $0.list) }
      }
    }
    self.basis = basis
    kept.append(FeedVersion(number, latest?.list, list))
    return forget()
  }

  /// Forgets the oldest versions, if there are too many versions, or if their messages are too large.
  ///
  /// - Returns: The forgotten versions.
  /// - Complexity: O(n) for n versions. With 2,000 versions, it takes 10 µs.
  mutating func forget() -> [FeedVersion<Row>] {
    let oldest = kept.count / 2 >= capacity ? kept.count - capacity : 0
    var (first, bytes) = (kept.count - 1, latest?.bytes ?? 0)
    while first > oldest, bytes + kept[first - 1].bytes <= byteLimit {
      first -= 1
      bytes += kept[first].bytes
    }
    let forgotten = Array(kept.prefix(first))
    kept.removeFirst(first)
    return forgotten
  }

  /// Replaces the latest list by an equal list.
  ///
  /// - Returns: The replaced version, or `nil` if the latest version has another list.
  mutating func replace(_ list: Results<Row>, by equal: Results<Row>) -> FeedVersion<Row>? {
    guard let latest, latest.list.storage === list.storage else { return nil }
    kept[kept.count - 1] = FeedVersion(latest.number, latest.old, Results(equal.storage, at: latest.list.position))
    return latest
  }

  /// Returns the version that a position determines.
  ///
  /// - Complexity: O(log n) for n versions.
  func version(at position: Position) -> FeedVersion<Row>? {
    let index = kept.firstIndexInOrder { $0.number >= settled && $0.list.position >= position }
    guard index < kept.count, kept[index].list.position == position else { return nil }
    return kept[index]
  }

  /// Returns the next step of a reader with a version, or `nil` if this version is the latest.
  func step(after number: Int) throws(ListFeedError) -> ListFeed<Row>.Step? {
    guard let first = kept.first, let latest, number < latest.number else { return nil }
    guard number + 1 >= first.number else {
      throw ListFeedError(
        .forgotten,
        "a reader was \(latest.number - number) versions behind, but the feed remembers only \(kept.count). Let the "
          + "reader reconnect, or increase the feed's capacity or byteLimit")
    }
    let next = kept[number + 1 - first.number]
    // The changes to the latest list contain no erased values.
    if next.number < erased, let old = next.old { return .merge(old, latest) }
    return .send(next)
  }
}
