import Annals
import TodoDomain

/// The program without a screen: words in, lines out, for scripts and pipes.
public struct TodoWords: Sendable {
  /// What the program prints, and how it ends.
  public struct Answer: Equatable, Sendable {
    public var lines: [String] = []
    public var problem: String?
    /// 0 if it was done, 1 if it was refused, 2 if the words are not understood.
    public var status: Int32 = 0
  }

  /// The help.
  public static let help = """
    todo: a to-do list in the terminal

      todo                     shows the list, live; in a pipe, prints it
      todo list [TEXT]         prints the items, or those whose titles contain a text
      todo add TITLE           adds an item
      todo done NUMBER         marks an item as done
      todo reopen NUMBER       marks it as to be done
      todo rename NUMBER TITLE gives it another title
      todo remove NUMBER       removes it
      todo undo | todo redo    takes back your last step, or does it again
      todo help                prints this

    The list is in the file of --file PATH, or of $TODO_FILE, or in ~/.todo.annals. Several terminals may have it open:
    each shows at once what another does.
    """

  private let user: TodoUser

  public init(_ user: TodoUser) { self.user = user }

  /// Does what words say.
  ///
  /// - Parameter words: The words that follow the program's name.
  /// - Returns: What is printed.
  /// - Throws: Why the log cannot be read or written.
  public func answer(to words: [String]) throws -> Answer {
    do {
      let text = words.dropFirst(2).joined(separator: " ")
      switch (words.first ?? "list", words.count) {
      case ("help", _), ("--help", _), ("-h", _): return Answer(lines: [Self.help])
      case ("list", _): return Answer(lines: try list(words.dropFirst().joined(separator: " ")))
      case ("undo", 1): return Answer(lines: [try user.undo()])
      case ("redo", 1): return Answer(lines: [try user.redo()])
      case ("add", 2...):
        let title = words.dropFirst().joined(separator: " ")
        return try done(.add(title), "add \(title)")
      case ("done", 2): return try done(words[1]) { (.finish(id: $0), "finish") }
      case ("reopen", 2): return try done(words[1]) { (.reopen(id: $0), "reopen") }
      case ("remove", 2): return try done(words[1]) { (.remove(id: $0), "remove") }
      case ("rename", 3...): return try done(words[1]) { (.rename(id: $0, to: text), "rename") }
      default:
        let words = words.joined(separator: " ").fitted(to: 60)
        return Answer(problem: "\"\(words)\" is not understood; see todo help", status: 2)
      }
    } catch let refusal as TodoList.Refusal {
      return Answer(problem: "\(refusal)", status: 1)
    }
  }

  private func done(_ number: String, _ command: (Int) -> (TodoCommand, String)) throws -> Answer {
    guard let id = Int(number) else {
      return Answer(problem: "\"\(number.fitted(to: 40))\" is no number of an item; see todo list", status: 2)
    }
    let (command, name) = command(id)
    return try done(command, "\(name) \(id)")
  }

  private func done(_ command: TodoCommand, _ name: String) throws -> Answer {
    try user.execute(command, named: name)
    return Answer(lines: ["done: \(name.fitted(to: 200))"])
  }

  private func list(_ text: String) throws -> [String] {
    var request = ListRequest<Todo>.todos
    request.search(text)
    return try user.store.list(of: Todos(), request).flatMap { section in
      ["\(section.title):"]
        + section.map { "\($0.isDone ? "x" : " ") \($0.id)  \($0.title.fitted(to: 1000))" }
    }
  }
}
