public import Annals
public import Foundation
import TeamBoards
import TeamPeople

/// A comment in a list.
public struct CommentRow: Row {
  /// What tells the comment from others.
  public let id: String
  /// The card that it is about.
  public let card: String
  /// Who wrote it.
  public let author: String
  /// The author's name; without value once the person is forgotten.
  public var authorName: Personal<String>?
  /// What it says; without value once the author is forgotten.
  public var text: Personal<String>
  /// When it was written.
  public let written: Date
  /// True after it was edited.
  public var isEdited = false

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: What tells the comment from others.
  ///   - card: The card that it is about.
  ///   - author: Who wrote it.
  ///   - text: What it says.
  ///   - written: When it was written.
  public init(id: String, card: String, author: String, text: Personal<String>, written: Date) {
    (self.id, self.card, self.author, self.text, self.written) = (id, card, author, text, written)
  }
}

/// All comments; their sections are called as the cards are.
public struct Comments: Projection {
  /// The names come from the events of people.
  public static var relations: [Relation<CommentRow>] {
    [.to(PersonName.self, by: \.author) { comment, person in comment.authorName = person?.name }]
  }

  /// Makes the projection.
  public init() {}

  /// Folds an event.
  ///
  /// - Parameters:
  ///   - recorded: What happened, and when.
  ///   - rows: The comments.
  public func project(_ recorded: Recorded<TeamEvent>, into rows: inout Rows<CommentRow>) {
    switch recorded.event {
    case .person(.joined(let id, let name, _, _)), .person(.renamed(let id, let name)):
      rows.relate(PersonName(id: id, name: name))
    case .card(.added(let id, _, let title, _)), .card(.renamed(let id, let title)):
      rows.renameSection(id, of: \.card, to: title)
    case .comment(.written(let id, let card, let author, let text)):
      rows.insert(CommentRow(id: id, card: card, author: author, text: text, written: recorded.time))
    case .comment(.edited(let id, _, let text)):
      rows.update(id) { ($0.text, $0.isEdited) = (text, true) }
    case .comment(.deleted(let id, _)): rows[id] = nil
    case .person, .board, .card: break
    }
  }
}
