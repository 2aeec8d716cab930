public import Annals
import AnnalsTesting

extension StoreContract {
  /// A location where a store keeps a log, with the functions that open the log and close the store.
  ///
  ///     StoreContract.Place { environment in try MyStore(path: path, environment: environment) }
  public struct Place {
    let promises: Promises
    let open: MakeStore
    let close: (any EventStore) throws -> Void
    let inAnotherProcess: (([String]) throws -> [String])?

    /// Creates a place for a log that doesn't exist yet.
    ///
    /// - Parameters:
    ///   - promises: The promises of the store: which data remains after the store is reopened, and whether several
    ///     stores can be open at the same time. By default, the store makes all promises.
    ///   - inAnotherProcess: A function that runs another process with the given arguments and returns the lines that
    ///     the process prints. The process opens the log and prints the lines that ``StoreContract/answer(_:with:)``
    ///     returns. If the function is `nil`, rules that need another process pass without being checked.
    ///   - close: A function that closes a store. By default, the rules only release their reference to the store.
    ///   - open: A function that opens the log, or creates the log if it doesn't exist. The rules call this function
    ///     several times.
    public init(
      promises: Promises = .all, inAnotherProcess: (([String]) throws -> [String])? = nil,
      close: @escaping (any EventStore) throws -> Void = { _ in }, open: @escaping MakeStore
    ) {
      self.promises = promises
      self.open = open
      self.close = close
      self.inAnotherProcess = inAnotherProcess
    }
  }

  /// The promises of a store that can be reopened: which data the store keeps in addition to the events, and whether
  /// several stores can open the same log at the same time.
  ///
  /// For example, if a store loses the receipts of commands when it is reopened, it promises
  /// `.all.subtracting(.receipts)`. Data that isn't promised can be missing after the store is reopened. If such data
  /// is present, it must be correct.
  public struct Promises: OptionSet, Sendable {
    /// The option set's bits.
    public let rawValue: Int

    /// Creates a set of promises from its bits.
    ///
    /// - Parameter rawValue: The option set's bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The promise to keep commands' receipts, so that a command with a command id is executed only once.
    public static let receipts = Promises(rawValue: 1)
    /// The promise to keep followers' checkpoints.
    ///
    /// The promise has no effect if the store doesn't support checkpoints.
    public static let checkpoints = Promises(rawValue: 2)
    /// The promise to keep deciders' saved states.
    ///
    /// The promise has no effect if the store doesn't support saved states.
    public static let snapshots = Promises(rawValue: 4)
    /// The promise to keep saved lists.
    ///
    /// The promise has no effect if the store doesn't support saved lists.
    public static let savedLists = Promises(rawValue: 8)
    /// The promise that several stores can open the same log at the same time.
    ///
    /// When a store has completed a write, the next read of every other store must return the written data.
    public static let sharing = Promises(rawValue: 16)
    /// The promise to keep drafts.
    ///
    /// The promise has no effect if the store doesn't support drafts.
    public static let drafts = Promises(rawValue: 32)
    /// All promises that this type defines.
    public static let all: Promises = [.receipts, .checkpoints, .snapshots, .savedLists, .sharing, .drafts]
  }

  /// Handles a rule's request in a second process, and returns the lines that this process must print.
  ///
  /// Some rules need a second process, which they start with the `inAnotherProcess` function of ``Place``. In the
  /// second process, open the log, and call this function:
  ///
  ///     let store = try MyStore(path: CommandLine.arguments[1])
  ///     for line in try StoreContract.answer(Array(CommandLine.arguments.dropFirst(2)), with: store) { print(line) }
  ///
  /// - Parameters:
  ///   - words: The arguments that the process received from the `inAnotherProcess` function of ``Place``.
  ///   - store: A store that has opened the log of the ``Place``.
  /// - Returns: The lines to print to standard output. The rule ignores other lines in the output.
  /// - Throws: `CheckError` for unknown arguments, and errors from the store.
  public static func answer(_ words: [String], with store: any EventStore) throws -> [String] {
    switch words {
    case ["look"]: break
    case ["append"]:
      try store.append(
        Append(
          [.init(stream: "s", event: Trial.event("Elsewhere", tags: ["x"]))], expectations: ["s": .exists],
          commandID: "c3"))
    default:
      throw CheckError(description: "expected \"look\" or \"append\" as the only argument, found \(words)")
    }
    return try LogPicture(of: store).lines
  }
}

/// A log that can be closed and reopened repeatedly.
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

  var store: any EventStore {
    guard let opened else { preconditionFailure("the log must be open") }
    return opened
  }

  /// The store, or `nil` if the log was closed and couldn't be reopened.
  var openStore: (any EventStore)? { opened }

  /// Closes the store and reopens the log.
  func reopen() throws {
    try close()
    opened = try place.open(environment)
  }

  /// Opens the log a second time while the first store is open.
  func openBeside() throws -> any EventStore { try place.open(environment) }

  /// Reopens the log, and verifies that its contents are unchanged.
  func ensureKeepsAll(fileID: String = #fileID, line: UInt = #line) throws {
    let before = try LogPicture(of: store)
    try reopen()
    var after = try LogPicture(of: store)
    if !promises.contains(.receipts) { after.forgiveReceipts(like: before) }
    try before.ensureSame(after, "after the store is reopened", fileID: fileID, line: line)
  }

  /// Runs another process, and returns the facts that it printed, or `nil` if the place can't run a process.
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
