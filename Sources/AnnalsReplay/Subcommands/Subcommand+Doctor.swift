import Annals
import AnnalsRemote

extension Subcommand {
  static let doctor = Subcommand(
    name: "doctor", operands: ["URL"],
    summary: "Check a log on a server and the server: locks, followers, standbys, disk space, settings, privileges.",
    details: [
      "Prints a line per check. A problem has a remedy. If the role may not see everything",
      "that a check needs, the line contains the missing privilege. The checks don't change",
      "the log, and read no event. To check the events, use verify. Exit status: 1 if a problem was found.",
    ],
    examples: [
      "annals doctor postgresql://books@db.example.com/books",
      "annals doctor postgresql://books@db.example.com/books --json",
    ],
    output: .init(.lines, "The result of a check.", [findingForm.schema]),
    run: { try $0.runDoctor() })
}

extension Session {
  fileprivate func runDoctor() throws -> ReplayError.Status {
    let maintenance = try maintenance("To check a log in a file, use \(tool) verify")
    let findings = try RemoteLog.waiting { try await maintenance.findings() }
    let width = findings.map(\.check.count).max() ?? 0
    for finding in findings {
      if isData {
        try print(finding, as: findingForm)
      } else {
        let name = finding.check + String(repeating: " ", count: width - finding.check.count)
        let word = finding.word + String(repeating: " ", count: 10 - finding.word.count)
        try print(Text.safe("\(word)  \(name)  \(finding.message)\(finding.remedy.map { ". \($0)" } ?? "")"))
      }
    }
    let problems = findings.count { $0.word == "problem" }
    let incomplete = findings.count { $0.word == "incomplete" }
    if !isData {
      let checks = Text.counted(findings.count, "check")
      say(
        problems > 0
          ? "\(checks), \(Text.counted(problems, "problem"))"
          : incomplete > 0
            ? "\(checks), no problem found, but \(incomplete) incomplete" : "\(checks), all is as it must be")
    }
    return problems > 0 ? .negative : .done
  }
}

extension LogFinding {
  fileprivate var word: String {
    switch state {
    case .healthy: "ok"
    case .incomplete: "incomplete"
    case .problem: "problem"
    }
  }

  fileprivate var remedy: String? {
    switch state {
    case .healthy: nil
    case .incomplete(let remedy), .problem(let remedy): remedy
    }
  }
}

private let findingForm = JSONForm<LogFinding>([
  "check": .of(\.check), "state": .of(\.word).among(["ok", "incomplete", "problem"]), "message": .of(\.message),
  "remedy": .of(\.remedy, "Null if the check found no problem."),
])
