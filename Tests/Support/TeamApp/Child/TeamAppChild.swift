import Annals
import AnnalsSQLite
import Foundation
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain

/// A second process of the app: it does things, shows its own ten lists, and says whether they are right.
@main
struct TeamAppChild {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      guard words.count == 4, let number = Int(words[2]), let count = Int(words[3]) else {
        throw Problem(description: "usage: act LOG LANE COUNT, or import LOG LINES PER-COMMIT")
      }
      let team = try Team(path: words[1])
      switch words[0] {
      case "act": try await act(team, lane: number, count: count)
      case "import":
        try await TeamImporter(team.store).run(ExportedLines.text(number), perCommit: count)
        say("imported")
      default: throw Problem(description: "unknown work \(words[0])")
      }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// Acts by chance, that often or until it is killed, and names each action that was done before it goes on.
  @MainActor private static func act(_ team: Team, lane: Int, count: Int) async throws {
    let lists = TeamLists(team.store, isSaved: false)
    try lists.show()
    say("open")
    var done = 0
    while count == 0 || done < count {
      let before = lists.people.position
      do {
        // A process of its own: another one may do the same meanwhile, so that some is refused.
        try await team.perform(
          .random { Int.random(in: 0..<$0) }, by: "child \(lane)", commandID: "\(lane)-\(UUID().uuidString)")
      } catch let error as EventStoreError {
        throw error
      } catch {
        // Refused.
      }
      done += 1
      if lists.people.position > before { say("did \(lists.people.position)") }
    }
    let differences = try PlainTeam.differences(from: lists, in: team.store)
    say(differences.isEmpty ? "right" : "wrong: \(differences.joined(separator: "; "))")
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
