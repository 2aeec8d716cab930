import Foundation

/// A process that serves the requests of a purity check in one world.
final class WorldProcess {
  let world: Purity.World?
  private let process: ChildProcess

  init(_ world: Purity.World?, _ command: LaunchCommand, _ number: String, clockLibrary: String? = nil) {
    self.world = world
    // The current environment, the settings of the plain process, and the world's differences.
    var variables = ChildProcess.plainEnvironment(serving: number)
    for (name, value) in world?.variables ?? [:] { variables[name] = value }
    if let clockLibrary, let world {
      variables["LD_PRELOAD"] = clockLibrary
      variables["DYLD_INSERT_LIBRARIES"] = clockLibrary
      variables["ANNALS_CLOCK"] = "\(world.clock)"
    }
    process = ChildProcess(
      world?.name ?? "with plain settings", command, environment: variables,
      folder: world?.movesFolder == true ? FileManager.default.temporaryDirectory : nil)
  }

  var name: String { world?.name ?? "with plain settings" }
  var cause: String { world?.cause ?? "" }

  func start() throws { try process.start() }

  /// Waits until the process is ready, and returns its time.
  func ready() throws -> Double { try process.ready() }

  /// Sends a request for one case, and returns the response.
  func ask(_ question: String) throws -> [String] { try process.ask(question) }

  /// Terminates the process.
  func end() { process.end() }
}
