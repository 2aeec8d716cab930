import Foundation

/// The part of a separate process that runs cases for the process that started it.
///
/// It reads one request per line: a time limit in milliseconds, the maximum number of choices, whether the case needs a
/// description, and the choices. A description is sent while the case runs, because the case can end the process.
final class CaseServer {
  /// The draw of the cases, which has the memory that the other process reads.
  let draw: Draw
  private let memory: CaseMemory
  private let context: CaseContext
  private var watch: CaseWatch?

  /// The environment variable with the path of the memory.
  static let variable = "ANNALS_CASE_MEMORY"

  init(_ settings: CheckSettings, _ context: CaseContext) throws {
    let path = ProcessInfo.processInfo.environment[Self.variable] ?? ""
    guard let memory = CaseMemory(path, limit: settings.maxChoices, isShared: true) else {
      throw CheckError(description: "the memory of a case can't be opened at \(path)")
    }
    self.memory = memory
    self.context = context
    draw = Draw(memory)
    context.isSearching = false
    ProcessLine.say("ready", ["\(Date().timeIntervalSince1970)"])
  }

  /// Waits for the plan of the next case, and ends the process after the last request.
  func next() -> Plan {
    guard let line = readLine() else { exit(0) }
    let words = line.split(separator: " ").compactMap { UInt64($0) }
    var plan = Plan(.zeros, prefix: Array(words.dropFirst(3)), limit: Int(words[1]))
    plan.isDescribed = words[2] == 1
    draw.describe = plan.isDescribed ? { ProcessLine.say("story", $0) } : nil
    if words[0] > 0 {
      watch = CaseWatch(memory, limit: .milliseconds(Int(words[0]))) {
        ProcessLine.say("slow", [])
        _exit(0)
      }
    }
    return plan
  }

  func answer(_ verdict: Verdict) {
    watch?.end()
    watch = nil
    for note in context.notes { ProcessLine.say("note", [note]) }
    switch verdict {
    case .passed: ProcessLine.say("passed", [])
    case .discarded, .cancelled: ProcessLine.say("discarded", [])
    case .failed(let error):
      let unmet = error as? Unmet
      let place = unmet.map { [$0.fileID, "\($0.line)", $0.filePath ?? ""] } ?? []
      ProcessLine.say("failed", ["\(error)", verdict.origin ?? ""] + place)
    }
  }
}

/// A failure of a case in a separate process.
struct ApartFailure: OriginNaming, CustomStringConvertible {
  let description: String
  let origin: String
}

/// Runs cases in a separate process.
final class ChildRunner: CaseRunner {
  private let process: ChildProcess
  private let memory: CaseMemory
  private let context: CaseContext
  private let caseTime: Duration?
  private(set) var record = Record()
  private(set) var story = Story()
  /// The reason why the process can't run cases.
  private(set) var error: (any Error)?
  /// Whether cases have only a part of the time, because shrinking runs many cases that take too long.
  var isShrinking = false

  init(_ process: ChildProcess, _ memory: CaseMemory, _ context: CaseContext, caseTime: Duration?) {
    self.process = process
    self.memory = memory
    self.context = context
    self.caseTime = caseTime
  }

  func run(_ plan: Plan) -> Verdict {
    memory.write([])
    context.begin(isDescribed: plan.isDescribed)
    story = Story()
    let limit = caseTime.map { isShrinking && !plan.isDescribed ? $0 / 20 : $0 }
    let milliseconds = limit.map { max(1, Int(($0 / .milliseconds(1)).rounded(.up))) } ?? 0
    let words = [UInt64(milliseconds), UInt64(plan.limit), plan.isDescribed ? 1 : 0] + plan.prefix
    do {
      let parts = try process.ask(words.map(String.init).joined(separator: " ")) { parts in
        let texts = parts.dropFirst().compactMap(ProcessLine.text)
        switch parts.first {
        case "story": story.transcript = texts
        case "note": for text in texts { context.note { text } }
        default: return false
        }
        return true
      }
      record = memory.record ?? Record()
      return verdict(parts)
    } catch {
      self.error = error
      return .discarded(nil)
    }
  }

  private func verdict(_ parts: [String]) -> Verdict {
    if let end = ChildProcess.end(parts) {
      return .failed(ApartFailure(description: "the process ended with \(end)", origin: end))
    }
    let texts = parts.dropFirst().compactMap(ProcessLine.text)
    switch parts.first {
    case "passed": return .passed
    case "slow":
      process.stop()
      let time = caseTime.map { "\($0)" } ?? ""
      return .failed(ApartFailure(description: "the case doesn't end within \(time)", origin: "time"))
    case "failed" where texts.count == 5:
      return .failed(
        Unmet(
          description: texts[0], fileID: texts[2], filePath: texts[4].isEmpty ? nil : texts[4],
          line: UInt(texts[3]) ?? 0))
    case "failed" where texts.count == 2: return .failed(ApartFailure(description: texts[0], origin: texts[1]))
    default: return .discarded(nil)
    }
  }
}
