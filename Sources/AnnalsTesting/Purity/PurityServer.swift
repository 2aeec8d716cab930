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
    ProcessLine.say("ready", ["\(Date().timeIntervalSince1970)"])
    let draw = Draw()
    while let question = readLine() {
      let indices = question.split(separator: " ").compactMap { UInt64($0) }
      draw.reset(Plan(.zeros, prefix: indices, limit: settings.maxChoices))
      do {
        let value = try draw(generator)
        let source = swiftSource(of: value)
        do {
          ProcessLine.say("answer", [source, swiftSource(of: try answer(value))])
        } catch let error where !(error is Discarded) {
          ProcessLine.say("answer", [source, "the error \(swiftSource(of: error))"])
        }
      } catch {
        ProcessLine.say("none", ["\(error)"])
      }
    }
    exit(0)
  }
}
