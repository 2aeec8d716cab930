import Annals
import Foundation

/// A server in another process for the requests of the process that runs a purity check.
///
/// It reads one request per line until the input ends.
///
/// A request contains the choices of a case. The response contains the value from these choices and the function's
/// result.
struct PurityServer<Value, Answer> {
  private let generator: Generator<Value>
  private let settings: CheckSettings
  private let answer: (Value) throws -> Answer

  init(_ generator: Generator<Value>, _ settings: CheckSettings, _ answer: @escaping (Value) throws -> Answer) {
    self.generator = generator
    self.settings = settings
    self.answer = answer
  }

  /// Serves requests, and then exits the process.
  func serve() throws -> Never {
    PurityLine.say("ready", ["\(Date().timeIntervalSince1970)"])
    let draw = Draw()
    while let question = readLine() {
      let indices = question.split(separator: " ").compactMap { UInt64($0) }
      draw.reset(Plan(.zeros, prefix: indices, limit: settings.maxChoices))
      do {
        let value = try draw(generator)
        let source = swiftSource(of: value)
        do {
          PurityLine.say("answer", [source, swiftSource(of: try answer(value))])
        } catch let error where !(error is Discarded) {
          PurityLine.say("answer", [source, "the error \(swiftSource(of: error))"])
        }
      } catch {
        PurityLine.say("none", ["\(error)"])
      }
    }
    exit(0)
  }
}

/// The lines that the processes exchange.
///
/// The test's own output can precede and follow these lines.
enum PurityLine {
  private static let mark = "annals-purity\t"

  /// Prints a line with a single write.
  static func say(_ word: String, _ parts: [String]) {
    let line = ([word] + parts.map { JSONValue.quoted($0) }).joined(separator: "\t")
    FileHandle.standardOutput.write(Data("\n\(mark)\(line)\n".utf8))
  }

  /// Returns the parts of a line, or `nil` if it is other output.
  static func parts(of line: String) -> [String]? {
    guard line.hasPrefix(mark) else { return nil }
    return line.dropFirst(mark.count).split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  }
}
