import Annals
import AnnalsSQLite
import Foundation
import KanbanApp

@main
struct KanbanProgram {
  static func main() {
    guard let path = CommandLine.arguments.dropFirst().first, path != "help", !path.hasPrefix("-") else {
      return print(KanbanWords.help)
    }
    do {
      let words = KanbanWords(try SQLiteEventStore(path: path))
      let answer = try words.answer(to: Array(CommandLine.arguments.dropFirst(2)))
      for line in answer.lines { print(line) }
      if let problem = answer.problem { end(problem, answer.status) }
    } catch {
      end("\(path): \(error)", 3)
    }
  }

  private static func end(_ problem: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("kanban: \(problem)\n".utf8))
    exit(status)
  }
}
