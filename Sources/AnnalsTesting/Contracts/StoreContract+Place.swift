public import Annals

extension StoreContract {
  /// A place where a store keeps one log, and how the log is opened there again.
  ///
  ///     StoreContract.Place { environment in try MyStore(path: path, environment: environment) }
  public struct Place {
    let promises: Promises
    let open: MakeStore
    let close: (any EventStore) throws -> Void
    let inAnotherProcess: (([String]) throws -> [String])?

    /// Describes a place without a log.
    ///
    /// - Parameters:
    ///   - promises: What the store keeps beside the events, and whether several may be open; by default everything.
    ///   - inAnotherProcess: Runs a process with some words, and returns the lines that it prints; nil if there is no
    ///     such process. The process opens the store and prints the lines of ``StoreContract/answer(_:with:)``.
    ///   - close: Closes a store; by default it is only released.
    ///   - open: Opens the log, or makes it; called several times.
    public init(
      promises: Promises = .all, inAnotherProcess: (([String]) throws -> [String])? = nil,
      close: @escaping (any EventStore) throws -> Void = { _ in }, open: @escaping MakeStore
    ) {
      (self.promises, self.open, self.close, self.inAnotherProcess) = (promises, open, close, inAnotherProcess)
    }
  }

  /// What a store keeps when it is opened again, beside the events with all that they say.
  ///
  /// A store that keeps no receipt of a command after it was opened again promises `.all.subtracting(.receipts)`. What
  /// is not promised may be gone, and must be right if it is there.
  public struct Promises: OptionSet, Sendable {
    /// A bit for each promise.
    public let rawValue: Int

    /// Creates promises from bits.
    ///
    /// - Parameter rawValue: A bit for each promise.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The receipts of commands, so that a command is done once ever after.
    public static let receipts = Promises(rawValue: 1)
    /// The checkpoints of followers, if the store has any.
    public static let checkpoints = Promises(rawValue: 2)
    /// The saved states of deciders, if the store has any.
    public static let snapshots = Promises(rawValue: 4)
    /// The saved lists, if the store has any.
    public static let savedLists = Promises(rawValue: 8)
    /// Several stores may be open on the log, and each reads at once what another was answered.
    public static let sharing = Promises(rawValue: 16)
    /// The drafts, if the store keeps any.
    public static let drafts = Promises(rawValue: 32)
    /// Everything.
    public static let all: Promises = [.receipts, .checkpoints, .snapshots, .savedLists, .sharing, .drafts]
  }

  /// Does what a rule asks of a store in another process, and returns the lines to print.
  ///
  ///     let store = try MyStore(path: CommandLine.arguments[1])
  ///     for line in try StoreContract.answer(Array(CommandLine.arguments.dropFirst(2)), with: store) { print(line) }
  ///
  /// - Parameters:
  ///   - words: What the rule asks for: the words that ``Place`` was given.
  ///   - store: The store, opened in the place.
  /// - Returns: The lines, for standard output; other output beside them does not matter.
  /// - Throws: ``CheckError`` for unknown words, and what the store throws.
  public static func answer(_ words: [String], with store: any EventStore) throws -> [String] {
    switch words {
    case ["look"]: break
    case ["append"]:
      try store.append(
        Append(
          [.init(stream: "s", event: Trial.event("Elsewhere", tags: ["x"]))], expectations: ["s": .exists],
          commandID: "c3"))
    default:
      throw CheckError(description: "the contract's words are \"look\" or \"append\", found \(words)")
    }
    return try LogPicture(of: store).lines
  }
}

/// A log that is opened again and again.
final class ReopenedLog {
  private let place: StoreContract.Place
  private let environment: StoreEnvironment
  private var opened: (any EventStore)?

  init(_ place: StoreContract.Place) throws {
    self.place = place
    environment = Trial.environment()
    opened = try place.open(environment)
  }

  var promises: StoreContract.Promises { place.promises }

  /// The store.
  var store: any EventStore {
    guard let opened else { preconditionFailure("the log must be open") }
    return opened
  }

  /// The store; nil while the log is closed, because it could not be opened again.
  var openStore: (any EventStore)? { opened }

  /// Closes the store and opens the log again.
  func reopen() throws {
    try close()
    opened = try place.open(environment)
  }

  /// Opens the log a second time, beside the first.
  func openBeside() throws -> any EventStore { try place.open(environment) }

  /// Opens the log again, and verifies that it shows what it showed.
  func ensureKeepsAll(fileID: String = #fileID, line: UInt = #line) throws {
    let before = try LogPicture(of: store)
    try reopen()
    var after = try LogPicture(of: store)
    if !promises.contains(.receipts) { after.forgiveReceipts(like: before) }
    try before.ensureSame(after, "after the store is opened again", fileID: fileID, line: line)
  }

  /// What another process answers; nil if there is none.
  func elsewhere(_ words: String...) throws -> LogPicture? {
    guard let ask = place.inAnotherProcess else { return nil }
    if !promises.contains(.sharing) { try close() }
    let answer = Result { LogPicture(lines: try ask(words)) }
    if opened == nil { opened = try place.open(environment) }
    return try answer.get()
  }

  private func close() throws {
    if let opened { try place.close(opened) }
    opened = nil
  }
}
