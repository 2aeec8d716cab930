import Annals
import AnnalsSQLite
import Foundation
import TodoDomain
import TodoTerminal

/// The program: a screen if there is a terminal and no word, lines otherwise.
@main
struct TodoApp {
  @MainActor static func main() async {
    var words = Array(CommandLine.arguments.dropFirst())
    let environment = ProcessInfo.processInfo.environment
    var path = environment["TODO_FILE"] ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.todo.annals"
    if words.first == "--file" {
      guard words.count > 1 else { fail("--file needs a path; see todo help", 2) }
      path = words[1]
      words.removeFirst(2)
    }
    if ["help", "--help", "-h"].contains(words.first) { return print(TodoWords.help) }
    do {
      let name = environment["USER"] ?? ""
      let user = TodoUser(store: try SQLiteEventStore(path: path), name: name.isEmpty ? "me" : name)
      if words.isEmpty && Terminal.isThere {
        try await Session(user).run()
      } else {
        let answer = try TodoWords(user).answer(to: words)
        for line in answer.lines { print(line) }
        if let problem = answer.problem { fail(problem, answer.status) }
      }
    } catch {
      fail("\(path): \(error)", 3)
    }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("todo: \(message)\n".utf8))
    exit(status)
  }
}
