import Annals
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// A follower that is called by its own handler, and by other threads while the handler runs.
@Suite struct FollowerCallsTests {
  private let store = MemoryEventStore(environment: .quiet)
  /// What the handler saw, and the answers that it got.
  private let notes = FollowerNotes()
  private let own = Own()

  /// The follower, for its own handler.
  private final class Own: Sendable {
    let follower = Mutex<EventFollower<ItemEvent>?>(nil)
  }

  private func follower(
    _ code: @escaping @Sendable (String, Position, EventFollower<ItemEvent>) throws -> Void
  ) throws -> EventFollower<ItemEvent> {
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [own] recorded, _ in
      guard case .put(let item) = recorded.event, let me = own.follower.withLock({ $0 }) else { return }
      try code(item.id, recorded.position, me)
    }
    own.follower.withLock { $0 = follower }
    return follower
  }

  private func put(_ ids: String...) throws { try store.put(ids.map { .put(Item($0, nil, 0)) }) }

  @Test func `code that skips the event that it handles passes it, also if it throws`() throws {
    try put("a", "b", "c", "d")
    let mailer = try follower { [notes] id, position, me in
      notes.add(id)
      if id == "b" { notes.add("\(try me.skip(position))") }
      if id == "c" {
        notes.add("\(try me.skip(position))")
        throw Refusal(reason: "no")
      }
    }
    #expect(throws: ProjectionError.self) { try mailer.catchUp() }
    #expect(notes.takeAll == ["a", "b", "true", "c", "true"])
    #expect(try mailer.position == 3)
    #expect(try mailer.catchUp() == 4)
    #expect(notes.takeAll == ["d"])
  }

  @Test func `code skips no other event than the one that it handles`() throws {
    try put("a", "b")
    let mailer = try follower { [notes] id, position, me in
      for other in [0, position.rawValue - 1, position.rawValue + 1, .max] where other != position.rawValue {
        notes.add("\(id) \(try me.skip(Position(max(0, other))))")
      }
    }
    try mailer.catchUp()
    #expect(notes.takeAll == ["a false", "a false", "a false", "a false", "b false", "b false", "b false", "b false"])
    #expect(try mailer.position == 2)
  }

  @Test func `code that catches up is answered how far the follower is, and what it added comes next`() throws {
    try put("a", "b")
    let mailer = try follower { [notes, store] id, position, me in
      if id == "a" { try store.put(.put(Item("new", nil, 0))) }
      notes.add("\(id) at \(try me.catchUp { _ in notes.add("progress") })")
    }
    #expect(try mailer.catchUp() == 3)
    #expect(notes.takeAll == ["a at 0", "b at 1", "new at 2"])
    #expect(try mailer.catchUp() == 3 && notes.takeAll == [])
  }

  @Test func `the progress callback may skip the next event and catch up too`() throws {
    try put("a", "b")
    try store.append(Append([NewEvent(type: "ItemBurnt", payload: nil)], to: "items"))
    let mailer = try follower { [notes] id, _, _ in notes.add(id) }
    #expect(throws: ProjectionError.self) { try mailer.catchUp() }
    #expect(notes.takeAll == ["a", "b"])
    #expect(try mailer.skip(3))
    try put("c")
    // Events that are appended during the progress callback are on the next page.
    try mailer.catchUp { progress in
      let reached = progress.position
      notes.add("\(reached) \(try mailer.catchUp())")
      guard reached == 4 else { return }
      try put("d", "e")
      notes.add("\(try mailer.skip(4)) \(try mailer.skip(6)) \(try mailer.skip(5))")
    }
    #expect(notes.takeAll == ["c", "4 4", "false false true", "e", "6 6"])
    #expect(try mailer.position == 6)
  }

  @Test func `the other parts of a split event are left out once it is skipped`() throws {
    try store.append(Append([NewEvent(type: "PartBoth", payload: #"{"first":"a","second":"b"}"#)], to: "parts"))
    let handled = Mutex<[String]>([])
    let me = Mutex<EventFollower<PartEvent>?>(nil)
    let follower = try EventFollower("parts", of: PartEvent.self, in: store, startingAt: .beginning) { recorded, _ in
      guard case .one(let name) = recorded.event else { return }
      handled.withLock { $0.append(name) }
      _ = try me.withLock { $0 }?.skip(recorded.position)
    }
    me.withLock { $0 = follower }
    #expect(try follower.catchUp() == 1)
    #expect(handled.withLock { $0 } == ["a"])
  }

  @Test func `another thread that calls while the code runs waits for its turn`() throws {
    try put("a", "b")
    let calls = DispatchGroup()
    let mailer = try follower { [notes] id, position, me in
      notes.add(id)
      guard id == "a" else { return }
      for call in ["skip", "catch up"] {
        let begun = DispatchSemaphore(value: 0)
        calls.enter()
        Thread.detachNewThread {
          begun.signal()
          let answer =
            call == "skip" ? "\(String(describing: try? me.skip(1)))" : "\(String(describing: try? me.catchUp()))"
          notes.add("\(call) \(answer)")
          calls.leave()
        }
        begun.wait()
      }
    }
    try mailer.catchUp()
    calls.wait()
    let all = notes.takeAll
    // The skip came too late; the other call found nothing to do.
    #expect(all.prefix(2) == ["a", "b"])
    #expect(Set(all.dropFirst(2)) == ["skip Optional(false)", "catch up Optional(2)"])
    #expect(try mailer.position == 2)
  }

  @Test func `a follower whose name looks like another's version has checkpoints of its own`() throws {
    try put("a", "b")
    let one = try EventFollower("x", of: ItemEvent.self, in: store, startingAt: .beginning) { [notes] _, context in
      notes.add("x \(context.isReplay)")
    }
    let other = try EventFollower("x/version/1", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes] _, context in
      notes.add("other \(context.isReplay)")
    }
    try other.catchUp()
    #expect(try one.position == 0)
    try one.catchUp()
    #expect(notes.takeAll == ["other false", "other false", "x false", "x false"])
    #expect(try other.position == 2 && one.position == 2)
  }

  @Test func `a follower is free again after its code threw`() throws {
    try put("a")
    let mailer = try follower { _, _, _ in throw Refusal(reason: "no") }
    for _ in 0..<2 { #expect(throws: ProjectionError.self) { try mailer.catchUp() } }
    #expect(try mailer.skip(1))
    #expect(try mailer.catchUp() == 1)
  }
}

private enum PartEvent: Event {
  case one(String)
  static let schema = 2
  static let upcasters: [Upcaster] = [
    .split("PartBoth", from: 1, to: 2, into: ["PartOne"]) { payload in
      [payload["first"], payload["second"]].compactMap { $0 }.map { Upcaster.Output("PartOne", $0) }
    }
  ]
}
