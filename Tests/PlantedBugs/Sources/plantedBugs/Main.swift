import AnnalsTesting
import Foundation

/// Runs the checks of this package with planted bugs, and prints a Markdown table.
@main
enum Main {
  static let garageBugs = 1...31
  static let laboratoryBugs = 32...41

  static func main() async throws {
    let arguments = CommandLine.arguments
    func value(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }
    let seeds = UInt64(value("--seeds") ?? "") ?? 20
    if let seed = value("--seed").flatMap({ UInt64($0) }) {
      return try await runChecks(seed: seed, only: value("--only"))
    }
    let bugs = value("--bugs").map { $0.split(separator: ",").compactMap { Int($0) } }
    try await Runner(seeds: seeds).printTable(of: bugs ?? Array(garageBugs) + Array(laboratoryBugs) + [0])
  }

  /// Runs the checks in this process, and prints the finding as JSON.
  static func runChecks(seed: UInt64, only: String?) async throws {
    let path = URL(filePath: CommandLine.arguments[0]).standardizedFileURL.path
    let all = garageChecks + laboratoryChecks
    let number = Int(ProcessInfo.processInfo.environment["PLANTED_BUG"] ?? "") ?? 0
    let planned = garageBugs.contains(number) ? garageChecks : laboratoryBugs.contains(number) ? laboratoryChecks : all
    let checks = only.map { name in planned.filter { $0.name == name } } ?? planned
    let finding = await Finding.first(of: checks, seed: seed) { check in
      .executable(path, ["--seed", "\(seed)", "--only", check.name])
    }
    print("\nfinding: " + String(decoding: try JSONEncoder().encode(finding), as: UTF8.self))
  }
}
