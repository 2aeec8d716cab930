import Annals
import AnnalsTesting
import Foundation

extension StoreContract {
  /// A rule for stores that can close and reopen their log.
  ///
  /// The rule consists of a sentence and of code that checks whether a store follows the rule.
  public struct RestartRule: Sendable, CustomStringConvertible {
    /// The sentence that describes the rule.
    public let sentence: String
    private let body: @Sendable (Restarts) throws -> Void

    init(_ sentence: String, _ body: @escaping @Sendable (Restarts) throws -> Void) {
      self.sentence = sentence
      self.body = body
    }

    /// Checks whether a store follows the rule.
    ///
    /// - Parameter makePlace: A function that returns a new ``StoreContract/Place`` without a log each time it's
    ///   called.
    /// - Throws: ``Violation`` if the store breaks the rule.
    public func check(_ makePlace: () throws -> Place) throws {
      do {
        try withoutActuallyEscaping(makePlace) { try body(Restarts(makePlace: $0)) }
      } catch {
        throw Violation(rule: sentence, error: error)
      }
    }

    /// The sentence that describes the rule.
    public var description: String { sentence }
  }

  /// The rules for all stores that can close and reopen their log, with the simple rules first.
  ///
  ///     @Test(arguments: StoreContract.restartRules)
  ///     func `a store of mine keeps what it was given`(rule: StoreContract.RestartRule) throws {
  ///       try rule.check {
  ///         let path = newPath()
  ///         return StoreContract.Place { try MyStore(path: path, environment: $0) }
  ///       }
  ///     }
  public static let restartRules: [RestartRule] = reopening + keeping + elsewhere + restartModel

  /// A factory that creates logs for the rules.
  struct Restarts {
    let makePlace: () throws -> Place

    func log() throws -> ReopenedLog { try ReopenedLog(makePlace()) }
  }

  /// Appends that together use all features of `Append`.
  static let richAppends: [Append] = {
    let streams: [StreamName] = ["s", "e\u{301}", "s", "t", "\u{E9}"]
    return (1...6).map { number in
      var append = Append(
        (0..<number).map { index in
          .init(
            stream: streams[(number + index) % streams.count],
            event: NewEvent(
              type: index % 2 == 0 ? "Made" : "Changed", schema: 1 + index % 2,
              payload: index % 3 == 2 ? nil : #"{ "n": \#(number), "t":"é\n\#u{202E}" }"#,
              tags: index % 2 == 0 ? ["x", EventTag("n:\(number)")] : [],
              metadata: index % 2 == 0 ? ["actor": "ann"] : [:],
              id: index == 0 ? EventID(source: "else", id: "\(number)") : nil,
              time: index == 1 ? Trial.time.addingTimeInterval(-Double(number)) : nil))
        })
      if number == 2 || number == 5 { append.commandID = LogPicture.commands[number / 3] }
      return append
    }
  }()

  private static let reopening: [RestartRule] = [
    RestartRule("a log without events can be reopened") { restarts in
      let log = try restarts.log()
      try log.ensureKeepsAll()
      try ensureEqual(try log.store.head(), 0)
    },
    RestartRule("all acknowledged events are in the log when the store is reopened") {
      restarts in
      let log = try restarts.log()
      for append in richAppends {
        try log.store.append(append)
        try log.ensureKeepsAll()
      }
      // Reopening without an append changes no data.
      for _ in 0..<3 { try log.ensureKeepsAll() }
    },
    RestartRule("positions, versions and transaction numbers continue after the store is reopened") { restarts in
      let log = try restarts.log()
      for number in 1...4 {
        let receipt = try log.store.append(
          Append([Trial.event(), Trial.event()], to: "s", expecting: .exact(2 * number - 2)))
        try ensureEqual(
          receipt, Receipt(position: Position(2 * number), count: 2, transaction: number, versions: ["s": 2 * number]))
        try log.reopen()
      }
    },
    RestartRule("expectations and conditions also apply to events from before the store was reopened") { restarts in
      let log = try restarts.log()
      let id = EventID(source: "given", id: "1")
      try log.store.append(Append([Trial.event("A", tags: ["x"], id: id)], to: "s"))
      try log.reopen()
      let store = log.store
      try store.ensureRefuses(
        Append([Trial.event()], to: "s", expecting: .doesNotExist),
        with: .versionConflict(stream: "s", expected: .doesNotExist, found: 1))
      try store.ensureRefuses(
        Append(
          [.init(stream: "t", event: Trial.event())], conditions: [.init(noneMatching: .tagged("x"), after: 0)]),
        with: .conditionConflict(after: 0, found: 1))
      do {
        try store.append(Append([Trial.event(id: id)], to: "t"))
        throw Unmet(
          description: "expected an error for an existing identity, found a committed append", fileID: #fileID,
          line: #line)
      } catch let error as EventStoreError {
        try ensureEqual(error.code, .duplicateEvent)
      }
    },
    RestartRule("events of a refused append are not in the log when the store is reopened") { restarts in
      let log = try restarts.log()
      try log.store.append(Append([Trial.event()], to: "s"))
      for _ in 0..<2 {
        try log.store.ensureRefuses(
          Append([Trial.event(), Trial.event()], to: "s", expecting: .exact(0)),
          with: .versionConflict(stream: "s", expected: .exact(0), found: 1))
        try log.ensureKeepsAll()
      }
    },
    RestartRule("two open stores on one log immediately read each other's acknowledged events") { restarts in
      let log = try restarts.log()
      guard log.promises.contains(.sharing) else { return }
      let other = try log.openBeside()
      for (number, append) in richAppends.enumerated() {
        try (number % 2 == 0 ? log.store : other).append(append)
        try LogPicture(of: log.store).ensureSame(LogPicture(of: other), "in the other open store")
      }
      try log.ensureKeepsAll()
    },
    RestartRule("a follower that one open store has claimed can't be claimed by another open store") { restarts in
      let log = try restarts.log()
      guard log.promises.contains(.sharing) else { return }
      let other = try log.openBeside()
      guard let checkpoints = log.store.checkpoints, let others = other.checkpoints else { return }
      for (one, two) in [(checkpoints, others), (others, checkpoints)] {
        let claim = try one.claim(follower: "mailer")
        do {
          _ = try two.claim(follower: "mailer")
          throw CheckError(
            description: "expected the error followerBusy in the other open store, but the claim succeeded")
        } catch let error as EventStoreError {
          try ensureEqual(error.code, .followerBusy)
        }
        claim.release()
      }
    },
  ]

  private static let restartModel: [RestartRule] = [
    RestartRule("every reopened store returns the same results as an array of events") { restarts in
      let promises = try restarts.log().promises
      let machine = StoreMachine(reopens: true, namesCommands: promises.contains(.receipts)) {
        let log = try restarts.log()
        return StoreMachine.System(log)
      }
      try AnnalsTesting.check(machine, settings: CheckSettings(examples: 40))
    }
  ]
}
