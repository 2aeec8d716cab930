import Annals
import FestivalApp
import Foundation

@main
struct FestivalProgram {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      guard words.count > 2 else { throw Usage() }
      let session = Session(try Festival(path: words[0]), user: words[1]) { print($0) }
      try await session.run(words[2], Array(words[3...]))
    } catch is Usage {
      end(Usage.text, 2)
    } catch {
      // The error of an undo contains the refusal.
      let reason = (error as? UndoError)?.underlying ?? error
      end("festival: \(reason.localizedDescription)", 1)
    }
  }

  private static func end(_ problem: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    exit(status)
  }
}
