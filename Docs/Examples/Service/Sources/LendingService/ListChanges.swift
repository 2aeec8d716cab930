import Annals
import Foundation
import LendingDomain

/// The changes between two lists, as clients receive them.
///
/// `from` is a place in the old list, and `to` is a place in the new list. A client takes the rows and sections
/// with `from` out of its list, from the last to the first. Then it inserts the sections and rows with `to`, from the
/// first to the last.
struct ListChanges: Codable, Equatable {
  struct Section: Codable, Equatable {
    var from: Int?
    var to: Int?
    var title: String?
  }

  struct Row: Codable, Equatable {
    /// The indices of the section and of the row in it.
    var from: [Int]?
    var to: [Int]?
    /// The row's content in the new list.
    var thing: Thing?
  }

  var position: Int
  var sections: [Section]
  var rows: [Row]

  init(_ changes: Changes<Thing>, at position: Position) {
    self.position = position.rawValue
    sections = changes.sections.map { change in
      switch change {
      case .delete(let index, _): Section(from: index)
      case .insert(let index, _, let title): Section(to: index, title: title)
      case .move(let from, let to, _): Section(from: from, to: to)
      case .update(let index, let newIndex, _, let title): Section(from: index, to: newIndex, title: title)
      }
    }
    rows = changes.rows.map { change in
      switch change {
      case .delete(_, let at, _): Row(from: [at.section, at.row])
      case .insert(let thing, let at, _): Row(to: [at.section, at.row], thing: thing)
      case .move(let thing, let from, let to, _):
        Row(from: [from.section, from.row], to: [to.section, to.row], thing: thing)
      case .update(let thing, let at, let newAt):
        Row(from: [at.section, at.row], to: [newAt.section, newAt.row], thing: thing)
      }
    }
  }

  /// The changes as a server-sent event, whose id is the position of the new list.
  var message: String {
    guard let data = try? JSONCoding.encode(self) else {
      preconditionFailure("changes consist of strings and numbers, which JSON can always hold")
    }
    return "id: \(position)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
  }
}

/// A reader's stream of changes, as server-sent events.
///
/// The reader pulls the messages. So a slow reader doesn't need memory: it gets several messages together later.
public struct EventMessages: AsyncSequence, Sendable {
  let feed: ListFeed
  /// The position of the list that the reader knows after the first message.
  let position: Position
  let first: String

  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: feed, position: position, first: first, wakes: feed.wakes().makeAsyncIterator())
  }

  public struct Iterator: AsyncIteratorProtocol {
    let feed: ListFeed
    var position: Position
    var first: String?
    var heartbeats = 0
    var wakes: AsyncStream<Void>.Iterator

    public mutating func next() async -> String? {
      if let first = first.take() { return first }
      while true {
        switch feed.next(after: position, heartbeats: heartbeats) {
        case .message(let text, let position):
          self.position = position
          return text
        case .heartbeat(let number):
          heartbeats = number
          return ":\n\n"
        case .end: return nil
        case .nothing: if await wakes.next() == nil { return nil }
        }
      }
    }
  }
}
