import Foundation

/// The journal of a check: a file with the choices of the running case.
///
/// The file is deleted at the end of the check. If a case ends the process, the file remains, and the next run of the
/// check repeats the case in a separate process.
final class CaseJournal: @unchecked Sendable {
  // Only the thread of the check uses the journal. If a case takes too long, this thread is in the case, and the thread
  // of the watch uses the journal and then ends the process.
  let memory: CaseMemory
  private let property: PropertyName
  private let settings: CheckSettings
  private let call: String
  private let leftover: [UInt64]?
  private var watch: CaseWatch?
  private var isKept = false

  /// The role of this process in a check.
  enum Role {
    /// The process runs cases for another process.
    case serves(CaseServer)
    /// The process serves another check.
    case skips
    /// The process checks the property, with a journal unless it has another case around it.
    case checks(CaseJournal?)

    /// Decides the role, and opens the journal or the requests.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - settings: The settings of the check.
    ///   - context: The context of the cases.
    ///   - isApart: Whether the property runs in a separate process anyway.
    /// - Throws: ``CheckError`` if this process can't open the memory of the process that started it.
    init(
      _ property: PropertyName, _ settings: CheckSettings, _ context: CaseContext, isApart: Bool
    ) throws {
      guard CaseContext.current == nil, !isApart else {
        self = .checks(nil)
        return
      }
      let call = ServedCall.name(property, prefix: ServedCall.casePrefix)
      if ServedCall.servesCases {
        self = ServedCall.asked == call ? .serves(try CaseServer(settings, context)) : .skips
      } else {
        // A replayed case is for a debugger, so it runs in this process.
        self = .checks(settings.replay == nil ? CaseJournal(call, property, settings) : nil)
      }
    }
  }

  /// The folder of the journals, which belongs to the user.
  private static let folder: URL? = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("annals-cases-\(getuid())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  /// A number for the executable and its working directory, so that copies of a package have different journals.
  private static let program = PropertyName(
    file: CommandLine.arguments.first ?? "", function: FileManager.default.currentDirectoryPath, line: 0
  ).hash

  private init?(_ call: String, _ property: PropertyName, _ settings: CheckSettings) {
    guard let folder = Self.folder else { return nil }
    let path = folder.appendingPathComponent("\(String(Self.program, radix: 16))-\(call)").path
    guard let memory = CaseMemory(path, limit: settings.maxChoices, isShared: false) else { return nil }
    self.memory = memory
    self.property = property
    self.settings = settings
    self.call = call
    // A new file contains only zeros, which aren't searched.
    leftover = memory.isNew ? nil : memory.record?.indices
  }

  /// Repeats the case in which an earlier run ended, and begins to watch the time of the next cases.
  ///
  /// - Throws: ``PropertyFailure`` if the case fails again.
  func begin() throws {
    if let leftover {
      do {
        if let failure = try failure(leftover) {
          keep(failure)
          throw failure
        }
        property.warn("an earlier run ended during a case of this check", ["The case passes now."])
      } catch let error as CheckError {
        let token = ReplayToken(property: property.hash, indices: leftover).text
        property.warn(
          "an earlier run ended during a case of this check",
          ["Rerun the case with ANNALS_REPLAY=\(token). It can't run in a separate process: \(error)"])
      }
      memory.write([])
    }
    guard let limit = settings.caseTime else { return }
    watch = CaseWatch(memory, limit: limit) { [unowned self] in endProcess() }
  }

  /// Ends the check.
  func end() {
    watch?.end()
    if !isKept { memory.remove() }
  }

  /// Keeps the smallest case for the next run.
  private func keep(_ failure: PropertyFailure) {
    guard failure.kind == .falsified, let token = failure.token, let token = try? ReplayToken(token) else { return }
    memory.write(token.indices)
    isKept = true
  }

  /// Runs a case in a separate process, and shrinks it there if it fails.
  ///
  /// - Parameters:
  ///   - indices: The choices of the case.
  ///   - isSlow: Whether the case is known to take too long.
  /// - Returns: The failure of the smallest case, or `nil` if the case passes.
  /// - Throws: ``CheckError`` if the process can't run cases.
  private func failure(_ indices: [UInt64], isSlow: Bool = false) throws -> PropertyFailure? {
    let path = memory.path + ".child"
    guard let shared = CaseMemory(path, limit: settings.maxChoices, isShared: true) else { return nil }
    defer { shared.remove() }
    var environment = ChildProcess.plainEnvironment(serving: call)
    environment[CaseServer.variable] = path
    let process = ChildProcess("for a case", try LaunchCommand(rerunning: property), environment: environment)
    defer { process.end() }
    try process.start()
    _ = try process.ready()
    var settings = settings
    // A check runs the cases in these folders in its own process.
    (settings.failures, settings.corpus) = (nil, nil)
    // Every case that fails starts another process.
    settings.explains = false
    let context = CaseContext()
    // A run might have been interrupted because the case never ends.
    let runner = ChildRunner(process, shared, context, caseTime: settings.caseTime ?? .seconds(60))
    let explorer = try Explorer(property, settings, runner, context)
    runner.isShrinking = isSlow
    let verdict = runner.run(Plan(.zeros, prefix: indices, limit: settings.maxChoices))
    if let error = runner.error { throw error }
    guard case .failed(let error) = verdict else { return nil }
    runner.isShrinking = true
    return try explorer.shrunk(error, verdict)
  }

  /// Reports the running case, which takes too long, and ends the process.
  private func endProcess() {
    let indices = memory.record?.indices ?? []
    let token = ReplayToken(property: property.hash, indices: indices).text
    let limit = settings.caseTime.map { "\($0)" } ?? ""
    property.warn(
      "a case doesn't end within \(limit)",
      ["Rerun it with ANNALS_REPLAY=\(token).", "Shrinking it in a separate process:"])
    let text: String
    do {
      let failure = try failure(indices, isSlow: true)
      if let failure { keep(failure) }
      text = failure.map { "\($0)" } ?? "The case ends in a separate process."
    } catch {
      text = "\(error)"
    }
    let end = "The process of the tests ends, because a running case can't be stopped."
    FileHandle.standardError.write(Data("\(text)\n\(end)\n".utf8))
    abort()
  }
}
