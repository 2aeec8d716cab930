import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

private enum OrderEvent: Event, Equatable {
  case placed(Int)
  case packed(Int)
}

/// Packs an order once, or refuses a second time.
private struct Packing: Decider {
  struct Packed: Error {}

  static var category: String { "Order" }

  var isPacked = false

  func decide(_ order: Int) throws(Packed) -> [OrderEvent] {
    if isPacked { throw Packed() }
    return [.packed(order)]
  }

  mutating func evolve(_ event: OrderEvent) {
    if case .packed = event { isPacked = true }
  }
}

/// A post office outside of the log.
private final class Post: Sendable {
  struct Down: Error {}

  private let mails = Mutex<[String]>([])
  private let isDown = Mutex(false)

  init(isDown: Bool = false) { self.isDown.withLock { $0 = isDown } }

  var sent: [String] { mails.withLock { $0 } }

  func mail(_ text: String) { mails.withLock { $0.append(text) } }

  func mail(_ text: String, onceFor key: String) throws {
    if isDown.withLock({ isDown in
      defer { isDown = false }
      return isDown
    }) {
      throw Down()
    }
    let mail = "\(key): \(text)"
    mails.withLock { if !$0.contains(mail) { $0.append(mail) } }
  }
}

/// Followers that tolerate a second delivery and an end of their process, and followers with a mistake.
@Suite struct DeliveryTests {
  private let settings = CheckSettings(examples: 12, seed: 1, environment: .patient)
  private let orders = Generator<[OrderEvent]>.array(
    of: Generator<Int>.int(in: 1...3).map { .placed($0) }, count: 0...3)

  private func mails(
    handle: @escaping @Sendable (Post, Recorded<OrderEvent>) async throws -> Void, retries: FollowerRetries = .none,
    isDown: Bool = false, make: @escaping @Sendable () -> Void = {}
  ) async throws -> CheckReport {
    try await checkDelivery(of: orders, settings: settings) {
      Post(isDown: isDown)
    } follower: { store, post in
      make()
      return try EventFollower(
        "mailer", of: OrderEvent.self, in: store, startingAt: .beginning, retries: retries
      ) { recorded, _ in
        try await handle(post, recorded)
      }
    } answer: { _, post in
      post.sent
    }
  }

  private func failure(_ body: () async throws -> CheckReport) async throws -> PropertyFailure {
    do {
      _ = try await body()
    } catch let failure as PropertyFailure {
      return failure
    }
    throw CancellationError()
  }

  @Test func `a follower whose effects have the events' ids passes`() async throws {
    let report = try await mails { post, recorded in
      try post.mail("\(recorded.event)", onceFor: recorded.id.id)
    }
    #expect(report.examples == 12)
  }

  @Test func `an effect that happens twice is found with one event`() async throws {
    let failure = try await failure {
      try await mails { post, recorded in post.mail("\(recorded.event)") }
    }
    #expect(failure.input == ["[.placed(1)]"])
    let text = failure.description
    #expect(
      text.contains(
        "the process ended before it saved its position, with the saved position 0, and handled the next event twice"),
      "\(text)")
    #expect(text.contains("must return [\"placed(1)\"], but it returned [\"placed(1)\", \"placed(1)\"]"), "\(text)")
  }

  @Test func `a follower that remembers earlier events is found with two events and a new process`() async throws {
    let memory = Mutex(0)
    let failure = try await failure {
      try await mails { post, recorded in
        let count = memory.withLock { count in
          count += 1
          return count
        }
        try post.mail("\(count)", onceFor: recorded.id.id)
      } make: {
        memory.withLock { $0 = 0 }
      }
    }
    #expect(failure.input == ["[.placed(1), .placed(1)]"], "\(failure)")
    #expect(failure.description.contains("a new process handled every event, so the effects must be the same"))
  }

  @Test func `retries take no time, and a follower that fails by itself is reported`() async throws {
    let start = ContinuousClock.now
    let retries = FollowerRetries.retrying(
      attempts: 3, firstDelay: .seconds(3_600), factor: 2, largestDelay: .seconds(86_400))
    let report = try await mails(
      handle: { post, recorded in try post.mail("\(recorded.event)", onceFor: recorded.id.id) }, retries: retries,
      isDown: true)
    #expect(report.examples == 12 && ContinuousClock.now - start < .seconds(3_600))
    let failure = try await failure {
      try await mails(
        handle: { post, recorded in try post.mail("\(recorded.event)", onceFor: recorded.id.id) }, isDown: true)
    }
    #expect(failure.input == ["[.placed(1)]"])
    #expect(failure.description.contains("Down()"), "\(failure)")
  }

  /// A policy: each order that is placed is packed, in a stream of its own or in that of its position.
  private func policy(commandIDs: Bool, isPatient: Bool) async throws -> CheckReport {
    try await checkDelivery(of: orders, to: { _ in "Order-list" }, settings: settings) {
    } follower: { store, _ in
      try EventFollower("packer", of: OrderEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        guard case .placed(let order) = recorded.event else { return }
        let id = commandIDs ? "pack \(recorded.id.id)" : nil
        if isPatient {
          try await store.append([OrderEvent.packed(order)], to: "packed", commandID: id)
        } else {
          try await store.execute(order, on: Packing[recorded.id.id], commandID: id)
        }
      }
    } answer: { store, _ in
      try await store.events(of: OrderEvent.self).map { "\($0.event)" }.sorted()
    }
  }

  @Test func `a policy needs ids for its commands`() async throws {
    #expect(try await policy(commandIDs: true, isPatient: true).examples == 12)
    #expect(try await policy(commandIDs: true, isPatient: false).examples == 12)
    let twice = try await failure { try await policy(commandIDs: false, isPatient: true) }
    #expect(twice.input == ["[.placed(1)]"])
    #expect(twice.description.contains("but it returned [\"packed(1)\", \"packed(1)\", \"placed(1)\"]"), "\(twice)")
    let refused = try await failure { try await policy(commandIDs: false, isPatient: false) }
    #expect(refused.description.contains("Then the new process failed: "), "\(refused)")
  }
}
