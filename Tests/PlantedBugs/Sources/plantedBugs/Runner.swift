import Foundation

/// Runs the checks in child processes, two at a time, and counts the seeds that find a bug.
struct Runner {
  let seeds: UInt64

  func printTable(of bugs: [Int]) async throws {
    let titles = [
      "bug", "found by", "seeds", "first example", "tries to shrink", "length", "two commands", "forms",
      "most frequent smallest case",
    ]
    print("| \(titles.joined(separator: " | ")) |")
    print("|\(titles.map { _ in "---|" }.joined())")
    for bug in bugs {
      print(row(of: bug, try await findings(of: bug)))
      fflush(nil)
    }
  }

  private func findings(of bug: Int) async throws -> [Finding] {
    try await withThrowingTaskGroup(of: Finding.self) { group in
      var (findings, next) = ([Finding](), UInt64(1))
      for _ in 0..<min(2, seeds) {
        let seed = next
        group.addTask { try Self.finding(of: bug, seed: seed) }
        next += 1
      }
      while let finding = try await group.next() {
        findings.append(finding)
        guard next <= seeds else { continue }
        let seed = next
        group.addTask { try Self.finding(of: bug, seed: seed) }
        next += 1
      }
      return findings
    }
  }

  /// Runs the checks in a child process, because some bugs end the process.
  private static func finding(of bug: Int, seed: UInt64) throws -> Finding {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    process.arguments = ["--seed", "\(seed)"]
    var environment = ProcessInfo.processInfo.environment
    environment["PLANTED_BUG"] = bug == 0 ? nil : "\(bug)"
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let folder = FileManager.default.temporaryDirectory.appending(path: "planted-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files rather than pipes, because a pipe that isn't read can fill up and stop the child.
    func file(_ name: String) throws -> (url: URL, handle: FileHandle) {
      let url = folder.appending(path: name)
      try Data().write(to: url)
      return (url, try FileHandle(forWritingTo: url))
    }
    let (output, errors) = (try file("output"), try file("errors"))
    (process.standardOutput, process.standardError) = (output.handle, errors.handle)
    try process.run()
    process.waitUntilExit()
    let lines = try String(contentsOf: output.url, encoding: .utf8).split(separator: "\n")
    if let line = lines.last(where: { $0.hasPrefix("finding: ") }) {
      var finding = try JSONDecoder().decode(Finding.self, from: Data(line.dropFirst("finding: ".count).utf8))
      finding.seed = seed
      if let log = environment["PLANTED_LOG"], finding.check != nil {
        let text = "bug \(bug), seed \(seed), \(finding.check ?? ""): \(finding.message)\n\n"
        try Data(text.utf8).write(to: URL(filePath: log).appending(path: "\(bug)-\(seed).txt"))
      }
      return finding
    }
    let checks = try String(contentsOf: errors.url, encoding: .utf8).split(separator: "\n")
    let check = checks.last { $0.hasPrefix("check: ") }.map { String($0.dropFirst("check: ".count)) }
    return Finding(check: "\(check ?? "") (the process ended)", message: "the process ended")
  }

  private func row(of bug: Int, _ findings: [Finding]) -> String {
    let found = findings.filter { $0.check != nil }
    let shrunk = found.filter { $0.seed <= Finding.shrunkSeeds }
    let checks = Dictionary(grouping: found) { $0.check ?? "" }.sorted { $0.value.count > $1.value.count }
    let names = checks.map { checks.count == 1 ? $0.key : "\($0.key) \($0.value.count)" }.joined(separator: ", ")
    let lengths = Set(shrunk.map(\.length)).sorted()
    let range = lengths.count > 1 ? "\(lengths[0])–\(lengths[lengths.count - 1])" : lengths.map(String.init).joined()
    // The most frequent form is first, and of two such forms the shorter one.
    let forms = Dictionary(grouping: shrunk) { $0.input }.sorted {
      ($1.value.count, $0.key.count) < ($0.value.count, $1.key.count)
    }
    let input = forms.first.map { $0.key.filter { !$0.hasPrefix("let system") } } ?? []
    let shown = input.joined(separator: "; ").replacing("|", with: "\\|")
    let cells: [String] = [
      bug == 0 ? "none" : "\(bug)", names, "\(found.count) of \(seeds)", mean(found.map(\.example)),
      mean(shrunk.map(\.tries)), range, "\(shrunk.filter(\.isConcurrent).count) of \(shrunk.count)", "\(forms.count)",
      shown.isEmpty ? "" : "`\(shown.prefix(300))`",
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private func mean(_ numbers: [Int]) -> String {
    numbers.isEmpty ? "" : "\((numbers.reduce(0, +) + numbers.count / 2) / numbers.count)"
  }
}
