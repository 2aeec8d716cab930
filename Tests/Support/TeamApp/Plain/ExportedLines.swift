import Annals
import Foundation
public import TeamApp
import TeamBoards
import TeamPeople

/// An export of another program, of any length: 40 people, 12 boards, and the lives of cards.
public enum ExportedLines {
  /// Makes an export.
  ///
  /// - Parameter count: The number of lines, each an event.
  /// - Returns: The lines.
  public static func make(_ count: Int) -> [ImportedLine] {
    (0..<count).map { number in
      var line = ImportedLine(
        id: "\(number)", time: Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(number) * 600))
      if number < 40 {
        let id = "p\(number)"
        let subject = TeamPersonEvent.subject(of: id)
        line.person = .joined(
          id: id, name: Personal("Imported \(number)", of: subject), mail: Personal("\(id)@x.org", of: subject),
          team: ["red", "blue", "green"][number % 3])
      } else if number < 52 {
        line.board = .opened(id: "b\(number - 40)", name: "board \(number - 40)")
      } else {
        let (card, step) = ((number - 52) / 9, (number - 52) % 9)
        life(of: card, at: step, &line)
      }
      return line
    }
  }

  /// Makes the text of an export.
  ///
  /// - Parameter count: The number of lines, each an event.
  /// - Returns: The lines as JSON.
  /// - Throws: What the encoder throws.
  public static func text(_ count: Int) throws -> [String] {
    let encoder = JSONEncoder()
    return try make(count).map { String(decoding: try encoder.encode($0), as: UTF8.self) }
  }

  private static func life(of card: Int, at step: Int, _ line: inout ImportedLine) {
    let (id, person) = ("i\(card)", "p\(card % 40)")
    let due = Date(timeIntervalSinceReferenceDate: 720_000_000 + Double(card % 90) * 86_400)
    let text = Personal("about \(id)", of: TeamPersonEvent.subject(of: person))
    switch step {
    case 0:
      line.card = .added(id: id, board: "b\(card % 12)", title: "\(card * 7_919 % 1_000) things", points: card % 9)
    case 1: line.card = .renamed(id: id, to: "write \(card * 7_919 % 1_000) things")
    case 2: line.card = .estimated(id: id, points: card % 13)
    case 3: line.card = .scheduled(id: id, due: due)
    case 4: line.card = .assigned(id: id, from: nil, to: person)
    case 5: line.card = .moved(id: id, from: .toDo, to: .doing)
    case 6: line.comment = .written(id: "i\(card)m", card: "i\(card - card % 10)", author: person, text: text)
    case 7: line.card = .assigned(id: id, from: person, to: card % 3 == 0 ? "p\((card + 1) % 40)" : nil)
    default: line.card = .moved(id: id, from: .doing, to: card % 3 == 0 ? .review : .done)
    }
  }
}
