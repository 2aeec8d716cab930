import AnnalsTesting
import Foundation
import Testing

@testable import Annals
@testable import AnnalsRemote

/// A client in another language: it reads JSON, and follows the rules of `ListChanges` literally.
struct PlainClient {
  struct Section: Equatable {
    var title: String
    var rows: [Item]
  }

  private struct Message: Decodable {
    struct Section: Decodable {
      var from: Int?
      var to: Int?
      var title: String?
    }

    struct Row: Decodable {
      var from: [Int]?
      var to: [Int]?
      var row: Item?
    }

    var after: Int
    var position: Int
    var sections: [Section]
    var rows: [Row]
  }

  private(set) var sections: [Section]
  private(set) var position: Int

  init(_ list: Results<Item>) {
    sections = list.map { Section(title: $0.title, rows: Array($0)) }
    position = list.position.rawValue
  }

  mutating func apply(_ json: String) throws {
    let message = try JSONDecoder().decode(Message.self, from: Data(json.utf8))
    try ensureEqual(message.after, position)
    let leaving = message.rows.compactMap(\.from).sorted { $0.lexicographicallyPrecedes($1) }
    for place in leaving.reversed() { sections[place[0]].rows.remove(at: place[1]) }
    var removed: [Int: Section] = [:]
    for index in message.sections.compactMap(\.from).sorted().reversed() { removed[index] = sections.remove(at: index) }
    for edit in message.sections.filter({ $0.to != nil }).sorted(by: { $0.to! < $1.to! }) {
      var section = edit.from.map { removed[$0]! } ?? Section(title: "", rows: [])
      section.title = edit.title ?? section.title
      sections.insert(section, at: edit.to!)
    }
    let coming = message.rows.filter { $0.to != nil }.sorted { $0.to!.lexicographicallyPrecedes($1.to!) }
    for edit in coming { sections[edit.to![0]].rows.insert(edit.row!, at: edit.to![1]) }
    position = message.position
  }

  func shows(_ list: Results<Item>) -> Bool {
    position == list.position.rawValue && sections == Self(list).sections
  }
}

extension ListPage<Item> {
  /// The whole list.
  init(all list: Results<Item>) throws { try self.init(of: list, limit: .max, maximum: .max) }
}

func json(_ changes: Changes<Item>) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return String(decoding: try encoder.encode(ListChanges(changes)), as: UTF8.self)
}

func decoded(_ json: String) throws -> ListChanges<Item> {
  try JSONDecoder().decode(ListChanges<Item>.self, from: Data(json.utf8))
}
