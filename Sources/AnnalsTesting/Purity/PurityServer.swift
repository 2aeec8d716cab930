import Annals
import Foundation

/// Answers the questions of the process that runs a check of purity, one line each, until there are no more.
///
/// A question is the choices of a case; the answer is the value that they make, and what the function says of it.
struct PurityServer<Value, Answer> {
  private let generator: Generator<Value>
  private let settings: CheckSettings
  private let answer: (Value) throws -> Answer

  init(_ generator: Generator<Value>, _ settings: CheckSettings, _ answer: @escaping (Value) throws -> Answer) {
    (self.generator, self.settings, self.answer) = (generator, settings, answer)
  }

  /// Serves, and ends the process.
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

/// The lines between the processes, which the test's own output may surround.
enum PurityLine {
  private static let mark = "annals-purity\t"

  /// Prints a line with one write.
  static func say(_ word: String, _ parts: [String]) {
    let line = ([word] + parts.map { JSONValue.quoted($0) }).joined(separator: "\t")
    FileHandle.standardOutput.write(Data("\n\(mark)\(line)\n".utf8))
  }

  /// The parts of a line; nil if it is other output.
  static func parts(of line: String) -> [String]? {
    guard line.hasPrefix(mark) else { return nil }
    return line.dropFirst(mark.count).split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  }
}
