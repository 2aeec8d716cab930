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

  init(_ number: Int, _ old: Results<Row>?, _ list: Results<Row>) {
    (self.number, self.old, self.list) = (number, old, list)
  }

  /// Returns the changes since the previous version, which are encoded once for all readers.
  ///
  /// While one reader encodes the changes, other readers wait, because the encoding would take all of them the same
  /// time.
  func message(_ encoder: JSONEncoder) throws -> ListFeed<Row>.Message {
    let json = try json.withLock { json in
      if let json { return json }
      let made = try encoder.text(of: ListChanges(Changes(from: old ?? list, to: list)))
      json = made
      return made
    }
    return ListFeed.Message(position: list.position, json: json)
  }
}

extension JSONEncoder {
  func text(of value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }
}

/// The versions of a list that a feed remembers.
struct FeedVersions<Row: Annals.Row>: Sendable {
  private var versions: [FeedVersion<Row>] = []
  /// The number of the first version since which the positions increase, so that a position determines the version.
  private var settled = 0
  /// The request and the erasures of the latest list.
  private var basis: WatchedBasis?

  var latest: FeedVersion<Row>? { versions.last }

  /// Adds a version.
  ///
  /// - Parameters:
  ///   - list: The version's list.
  ///   - basis: The request and the erasures of the list.
  ///   - capacity: The number of versions to keep at least.
  /// - Returns: The forgotten versions, or `nil` if the list is the latest version.
  mutating func add(_ list: Results<Row>, of basis: WatchedBasis?, capacity: Int) -> [FeedVersion<Row>]? {
    let (old, number) = (latest?.list, (latest?.number ?? 0) + 1)
    if let old {
      if old.position == list.position, old.storage === list.storage { return nil }
      // An erasure, or a changed request, can be delivered together with later events.
      if list.position <= old.position || basis != self.basis { settled = number }
    }
    self.basis = basis
    versions.append(FeedVersion(number, old, list))
    guard versions.count / 2 >= capacity else { return [] }
    let forgotten = Array(versions.prefix(versions.count - capacity))
    versions.removeFirst(forgotten.count)
    return forgotten
  }

  /// Replaces the latest list by an equal list.
  ///
  /// - Returns: The replaced version, or `nil` if the latest version has another list.
  mutating func replace(_ list: Results<Row>, by equal: Results<Row>) -> FeedVersion<Row>? {
    guard let latest, latest.list.storage === list.storage else { return nil }
    versions[versions.count - 1] = FeedVersion(
      latest.number, latest.old, Results(equal.storage, at: latest.list.position))
    return latest
  }

  /// Returns the version that a position determines.
  ///
  /// - Complexity: O(log n) for n versions.
  func version(at position: Position) -> FeedVersion<Row>? {
    let index = versions.firstIndexInOrder { $0.number >= settled && $0.list.position >= position }
    guard index < versions.count, versions[index].list.position == position else { return nil }
    return versions[index]
  }

  /// Returns the version after another version, or `nil` if the other version is the latest.
  func version(after number: Int) throws(ListFeedError) -> FeedVersion<Row>? {
    guard let first = versions.first, let latest, number < latest.number else { return nil }
    guard number + 1 >= first.number else {
      throw ListFeedError(
        .forgotten,
        "a reader was \(latest.number - number) versions behind, but the feed remembers only \(versions.count). Let "
          + "the reader reconnect, or increase the feed's capacity")
    }
    return versions[number + 1 - first.number]
  }
}
