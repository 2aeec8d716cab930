public import Annals
import TeamPeople

/// Decides what is said about cards.
public struct Discussion: BoundaryDecider, Equatable {
  /// A card that is there, and what was said about it.
  public typealias Event = EventUnion2<TeamCardEvent, TeamCommentEvent>

  /// Why a command is refused.
  public enum Refusal: Error, Equatable {
    case noCard, alreadyThere, notThere
  }

  /// The stream of comments.
  public static var category: String { "Comments" }

  private var cards: Set<String> = []
  /// The author by comment; nil for one that was deleted.
  private var authors: [String: String?] = [:]

  /// Nothing said yet.
  public init() {}

  /// The card of the command.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The query.
  public static func boundary(for command: CommentCommand) -> EventQuery {
    .tagged(TeamCardEvent.tag(of: command.card))
  }

  /// Decides a command.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: What happens.
  /// - Throws: Why it does not.
  public func decide(_ command: CommentCommand) throws(Refusal) -> [Event] {
    guard cards.contains(command.card) else { throw .noCard }
    switch command {
    case .write(let id, let card, let author, let text):
      guard authors[id] == nil else { throw .alreadyThere }
      let text = Personal(text, of: TeamPersonEvent.subject(of: author))
      return [.second(.written(id: id, card: card, author: author, text: text))]
    case .edit(let id, let card, let text):
      guard case .some(.some(let author)) = authors[id] else { throw .notThere }
      let text = Personal(text, of: TeamPersonEvent.subject(of: author))
      return [.second(.edited(id: id, card: card, text: text))]
    case .delete(let id, let card):
      guard case .some(.some) = authors[id] else { throw .notThere }
      return [.second(.deleted(id: id, card: card))]
    }
  }

  /// Notes what happened.
  ///
  /// - Parameter event: What happened.
  public mutating func evolve(_ event: Event) {
    switch event {
    case .first(.added(let id, _, _, _)): cards.insert(id)
    case .first(.removed(let id)): cards.remove(id)
    case .first: break
    case .second(.written(let id, _, let author, _)): authors[id] = author
    case .second(.deleted(let id, _)): authors[id] = .some(nil)
    case .second(.edited): break
    }
  }
}
