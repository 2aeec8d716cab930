import Foundation
public import TeamApp
import TeamBoards
import TeamPeople

extension TeamAction {
  /// Makes an action by chance: a few people, boards, cards and comments, so that many meet.
  ///
  /// - Parameter pick: Picks one of that many, from 0; 0 is the simplest.
  /// - Returns: The action.
  /// - Throws: What `pick` throws.
  public static func random(_ pick: (Int) throws -> Int) rethrows -> TeamAction {
    let person = "p\(try pick(5))"
    let (card, comment) = ("c\(try pick(3))", try pick(9))
    switch try pick(20) {
    case 0:
      return .person(
        .join(id: person, name: "\(names[try pick(names.count)]) \(person)", mail: "\(person)@x.org", team: "red"))
    case 1: return .board(.open(id: "b\(try pick(3))", name: "board \(try pick(3))"))
    case 2, 3, 4, 5:
      let title = titles[try pick(titles.count)]
      return .card(.add(id: "c\(try pick(30))", board: "b\(try pick(3))", title: title, points: try pick(9)))
    case 6: return .card(.rename(id: "c\(try pick(30))", to: titles[try pick(titles.count)]))
    case 7: return .card(.estimate(id: "c\(try pick(30))", points: try pick(9)))
    case 8:
      let days = try pick(6)
      let due = days == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(days) * 86_400)
      return .card(.schedule(id: "c\(try pick(30))", due: due))
    case 9, 10, 11: return .card(.move(id: "c\(try pick(30))", to: Stage.allCases[try pick(Stage.allCases.count)]))
    case 12: return .card(.undoMove(id: "c\(try pick(30))"))
    case 13, 14: return .card(.assign(id: "c\(try pick(30))", to: try pick(4) == 0 ? nil : person))
    case 15: return try rare(person, pick)
    case 16: return .comment(.edit(id: "\(card)m\(comment)", card: card, text: "better"))
    case 17: return .comment(.delete(id: "\(card)m\(comment)", card: card))
    case 18: return .finish(card: card, comment: "\(card)m\(comment)", author: person, text: "done")
    default: return .comment(.write(id: "\(card)m\(comment)", card: card, author: person, text: "hm"))
    }
  }

  private static func rare(_ person: String, _ pick: (Int) throws -> Int) rethrows -> TeamAction {
    switch try pick(7) {
    case 0: .person(.rename(id: person, to: "\(names[try pick(names.count)]) again"))
    case 1: .person(.transfer(id: person, team: ["red", "blue"][try pick(2)]))
    case 2: .person(.leave(id: person))
    case 3: .board(.rename(id: "b\(try pick(3))", to: "renamed \(try pick(3))"))
    case 4: .board(.archive(id: "b\(try pick(3))"))
    case 5: .card(.remove(id: "c\(try pick(30))"))
    default: .erase(person: person)
    }
  }

  private static var names: [String] { ["Ann", "Bo", "Çem", "Dee"] }
  private static var titles: [String] { ["write tests", "Write them again", "answer mails", "Zoo", "änder", "a"] }
}
