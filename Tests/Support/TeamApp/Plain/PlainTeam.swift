public import Annals
import Foundation
public import TeamApp
import TeamBoards
import TeamPeople

/// The rows of all lists, folded by plain code from all events: slow, and easily seen to be right.
public struct PlainTeam {
  var people: [String: PersonRow] = [:]
  var boards: [String: BoardRow] = [:]
  var cards: [String: CardRow] = [:]
  var comments: [String: CommentRow] = [:]
  var activity: [ActivityRow] = []
  /// What cards were called last, also those that are gone.
  var titles: [String: String] = [:]
  private var names: [String: Personal<String>] = [:]

  /// Folds all events.
  ///
  /// - Parameter events: The events, from the first one on.
  public init(_ events: [Recorded<TeamEvent>]) {
    for event in events { fold(event) }
    var said: [String: Int] = [:]
    for comment in comments.values { said[comment.card, default: 0] += 1 }
    for (id, card) in cards {
      cards[id]?.personName = card.person.flatMap { names[$0] }
      cards[id]?.boardName = boards[card.board]?.name ?? ""
      cards[id]?.comments = said[id] ?? 0
    }
    for (id, comment) in comments { comments[id]?.authorName = names[comment.author] }
  }

  private mutating func fold(_ recorded: Recorded<TeamEvent>) {
    let time = recorded.time
    if let text = Activity.text(of: recorded.event) {
      activity.append(ActivityRow(id: recorded.position, text: text, author: recorded.author, time: time))
    }
    switch recorded.event {
    case .person(.joined(let id, let name, let mail, let team)):
      people[id] = PersonRow(id: id, name: name, mail: mail, team: team)
      names[id] = name
    case .person(.renamed(let id, let name)):
      people[id]?.name = name
      names[id] = name
    case .person(.transferred(let id, let team)): people[id]?.team = team
    case .person(.left(let id)): people[id]?.hasLeft = true
    case .person(.forgotten): break
    case .board(.opened(let id, let name)): boards[id] = BoardRow(id: id, name: name)
    case .board(.renamed(let id, let name)): boards[id]?.name = name
    case .board(.archived(let id)): boards[id]?.isArchived = true
    case .card(let event):
      fold(event, time)
      cards[event.id]?.changed = time
    case .comment(.written(let id, let card, let author, let text)):
      comments[id] = CommentRow(id: id, card: card, author: author, text: text, written: time)
    case .comment(.edited(let id, _, let text)):
      comments[id]?.text = text
      comments[id]?.isEdited = true
    case .comment(.deleted(let id, _)): comments[id] = nil
    }
  }

  private mutating func fold(_ event: TeamCardEvent, _ time: Date) {
    switch event {
    case .added(let id, let board, let title, let points):
      cards[id] = CardRow(id: id, board: board, title: title, points: points, changed: time)
      titles[id] = title
    case .renamed(let id, let title):
      cards[id]?.title = title
      titles[id] = title
    case .estimated(let id, let points): cards[id]?.points = points
    case .scheduled(let id, let due): cards[id]?.due = due
    case .moved(let id, _, let stage):
      cards[id]?.stage = stage
      cards[id]?.done = stage == .done ? time : nil
    case .assigned(let id, _, let person): cards[id]?.person = person
    case .removed(let id): cards[id] = nil
    }
  }
}
