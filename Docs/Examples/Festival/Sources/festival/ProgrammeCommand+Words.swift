import FestivalDomain
import Foundation

extension ProgrammeCommand {
  /// Creates a command from a user's words.
  init(_ name: String, _ words: [String]) throws {
    switch (name, words.count) {
    case ("open", 3): self = .openStage(Stage(id: try .word(words[0]), name: words[1], number: try .word(words[2])))
    case ("rename", 2): self = .renameStage(try .word(words[0]), to: words[1])
    case ("close", 1): self = .closeStage(try .word(words[0]))
    case ("book", 6):
      guard let fee = Decimal(string: words[5]) else { throw Usage() }
      self = .book(Slot(id: try .word(words[0]), act: words[1], place: try Place(words[2...4]), fee: fee))
    case ("move", 4): self = .move(try .word(words[0]), to: try Place(words[1...3]))
    case ("cancel", 1): self = .cancel(try .word(words[0]))
    case ("enlist", 2): self = .enlist(Volunteer(id: try .word(words[0]), name: words[1]))
    case ("dismiss", 1): self = .dismiss(try .word(words[0]))
    case ("assign", 2): self = .assign(try .word(words[0]), to: try .word(words[1]))
    case ("release", 2): self = .release(try .word(words[0]), from: try .word(words[1]))
    default: throw Usage()
    }
  }
}

extension Place {
  /// Creates a place from the words for a stage, a start and an end.
  fileprivate init(_ words: ArraySlice<String>) throws {
    let words = Array(words)
    self.init(stage: words[0] == "-" ? nil : try .word(words[0]), start: try .word(words[1]), end: try .word(words[2]))
  }
}

extension Int {
  static func word(_ word: String) throws -> Int {
    guard let number = Int(word) else { throw Usage() }
    return number
  }
}

extension Date {
  static func word(_ word: String) throws -> Date {
    guard let date = try? Date(word, strategy: .iso8601) else { throw Usage() }
    return date
  }
}
