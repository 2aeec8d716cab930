import Foundation

/// The processes of a purity check: a plain process, and the processes that differ from it in one respect.
final class WorldProcesses {
  private let plain: WorldProcess
  private var others: [WorldProcess]
  /// The worlds that couldn't be created, with the reasons.
  private(set) var missing: [String] = []
  /// The known differences between the processes' results, by request.
  ///
  /// The order of a set might differ only sometimes. So a difference that was found once is reported again for the same
  /// request.
  private var differences: [String: Unmet] = [:]

  /// Starts all processes, and waits until they are ready.
  init(_ worlds: [Purity.World], _ launch: Purity.Launch, number: String, test: PropertyName) throws {
    let command = try LaunchCommand(launch, test)
    plain = WorldProcess(nil, command, number)
    others = []
    do {
      try plain.start()
      for world in worlds {
        var library: String?
        if world.clock != 0 {
          do { library = try ClockLibrary.path() } catch {
            missing.append("\(world.name): \(error)")
            continue
          }
        }
        let process = WorldProcess(world, command, number, clockLibrary: library)
        others.append(process)
        try process.start()
      }
      let now = try plain.ready()
      others = try others.filter { process in
        let time = try process.ready()
        let behind = Double(process.world?.clock ?? 0)
        guard behind == 0 || abs(time - now - behind) < abs(behind) / 2 else {
          missing.append("\(process.name): the process used the system's clock, not the changed clock")
          process.end()
          return false
        }
        return true
      }
    } catch {
      end()
      throw error
    }
  }

  /// Verifies that all processes have the same result for one case.
  ///
  /// - Throws: ``Unmet`` for the first process with a different result, or an error that discards the case if the plain
  ///   process has no result.
  func ensureSame(_ indices: [UInt64], fileID: String, line: UInt) throws {
    let question = indices.map(String.init).joined(separator: " ")
    if let known = differences[question] { throw known }
    guard let difference = try difference(question) else { return }
    let unmet = Unmet(description: difference, fileID: fileID, line: line)
    differences[question] = unmet
    throw unmet
  }

  /// Verifies that a property holds for one case in the plain process.
  ///
  /// - Throws: ``Unmet`` with the property's error or the process's exit status or signal, or an error that discards
  ///   the case if the process has no result.
  func ensureHolds(_ indices: [UInt64], fileID: String, line: UInt) throws {
    let found = try plain.ask(indices.map(String.init).joined(separator: " "))
    if let end = ChildProcess.end(found) {
      throw Unmet(description: "the process ended with \(end)", fileID: fileID, line: line)
    }
    guard found.count == 3, let text = ProcessLine.text(found[2]) else {
      throw Discarded.assumption
    }
    if text != ApartAnswer.holds { throw Unmet(description: text, fileID: fileID, line: line) }
  }

  /// Returns the difference between the processes' results for one case, or `nil`.
  private func difference(_ question: String) throws -> String? {
    let expected = try plain.ask(question)
    if let end = ChildProcess.end(expected) {
      return "a separate process ended with \(end) before it returned a result. The tested code must not end the "
        + "process"
    }
    guard expected.count == 3 else { throw Discarded.assumption }
    for process in others {
      let found = try process.ask(question)
      guard found != expected else { continue }
      let cause = "The result must depend only on the arguments, but it also depends on \(process.cause)"
      if let end = ChildProcess.end(found) {
        return "\(process.name), the process ended with \(end), but \(plain.name) the result is \(expected[2]). "
          + cause
      }
      guard found.count == 3, found[1] == expected[1] else {
        return "\(process.name), the generator returns a different value than \(plain.name): expected \(expected[1]), "
          + "found \(found.count > 1 ? found[1] : "none"). A generator must take all randomness from its `Draw`"
      }
      return "\(process.name), the result is \(found[2]), but \(plain.name) the result is \(expected[2]). \(cause)"
    }
    return nil
  }

  /// Terminates all processes.
  func end() { for process in others + [plain] { process.end() } }
}

extension LaunchCommand {
  init(_ launch: Purity.Launch, _ test: PropertyName) throws {
    if let words = launch.words {
      self.init(path: words[0], arguments: Array(words.dropFirst()))
    } else {
      try self.init(rerunning: test)
    }
  }
}
