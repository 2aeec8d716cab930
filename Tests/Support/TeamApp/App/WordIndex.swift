public import Annals
public import Foundation
public import TeamBoards
public import TeamPeople

/// An index of words, in a file of its own: which words name a person or a card.
public actor WordIndex {
  private let file: URL
  /// What is named, by what names it.
  private var texts: [String: String]

  /// Opens an index, or begins one.
  ///
  /// - Parameter file: The file.
  /// - Throws: Why it cannot be read.
  public init(file: URL) throws {
    self.file = file
    texts =
      FileManager.default.fileExists(atPath: file.path)
      ? try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file)) : [:]
  }

  /// Takes what happened; events that come again change nothing.
  ///
  /// - Parameter events: What happened.
  /// - Throws: Why the file cannot be written.
  public func take(_ events: [EventUnion2<TeamPersonEvent, TeamCardEvent>]) throws {
    for event in events {
      switch event {
      case .first(.joined(let id, let name, _, _)), .first(.renamed(let id, let name)):
        texts["person \(id)"] = name.value
      case .first(.forgotten(let id)): texts["person \(id)"] = nil
      case .first: break
      case .second(.added(let id, _, let title, _)), .second(.renamed(let id, let title)):
        texts["card \(id)"] = title
      case .second(.removed(let id)): texts["card \(id)"] = nil
      case .second: break
      }
    }
    try JSONEncoder().encode(texts).write(to: file, options: .atomic)
  }

  /// What has a word in its name.
  ///
  /// - Parameter word: The word.
  /// - Returns: People and cards.
  public func find(_ word: String) -> Set<String> {
    Set(texts.filter { $0.value.lowercased().split(separator: " ").contains(word.lowercased()[...]) }.keys)
  }
}
