import Synchronization

/// What became of the states that a store keeps of a ``SnapshotDecider``, in this process.
public struct SnapshotReport: Hashable, Sendable {
  /// How many states were handed to the store.
  public internal(set) var kept = 0
  /// How often a stream or a boundary was folded on from a state that was kept beside the events.
  ///
  /// That is done where the store has no state in memory, as after a start.
  public internal(set) var restored = 0
  /// Why the last state that was due could not be kept, or could not be read again; nil if nothing was wrong.
  ///
  /// Nothing is lost then: the first command after a start folds all events, and takes longer.
  public internal(set) var problem: String?
}

extension EventStore {
  /// What became of the states that this store keeps of a decider.
  ///
  /// - Parameter decider: The decider.
  /// - Returns: The report since the store was made; empty if no state was due yet.
  public func snapshotReport<D: SnapshotDecider>(of decider: D.Type) -> SnapshotReport {
    SnapshotReports.report(of: decider, in: self)
  }
}

/// The reports of all stores of the process.
enum SnapshotReports {
  private struct Entry {
    weak var store: (any EventStore)?
    var byDecider: [ObjectIdentifier: SnapshotReport] = [:]
  }

  /// By the store; what an object that is gone has left is thrown away.
  private static let all = Mutex<[ObjectIdentifier: Entry]>([:])

  static func report(of decider: any Any.Type, in store: any EventStore) -> SnapshotReport {
    all.withLock { all in
      guard let entry = all[ObjectIdentifier(store)], entry.store === store else { return SnapshotReport() }
      return entry.byDecider[ObjectIdentifier(decider)] ?? SnapshotReport()
    }
  }

  static func change(
    of decider: any Any.Type, in store: any EventStore, _ body: @Sendable (inout SnapshotReport) -> Void
  ) {
    all.withLock { all in
      let key = ObjectIdentifier(store)
      if all[key]?.store !== store {
        all = all.filter { $0.value.store != nil }
        all[key] = Entry(store: store)
      }
      body(&all[key, default: Entry(store: store)].byDecider[ObjectIdentifier(decider), default: SnapshotReport()])
    }
  }
}

/// A state that its own coding does not keep.
package struct StateTextError: Error, CustomStringConvertible {
  /// What was tried and what came of it.
  package let description: String
}

/// A decider's state as the text in which it is kept: one state has one text.
package enum StateText {
  /// The text of a state that leads to an equal one when it is read.
  ///
  /// - Throws: ``StateTextError``.
  package static func text<S: Codable>(of state: S) throws(StateTextError) -> String {
    let coder = PayloadCoder(isCanonical: true)
    let text: String
    do { text = try coder.encode(state) } catch {
      throw StateTextError(description: "it cannot be written as JSON: \(error)")
    }
    let again: S
    do { again = try coder.decode(S.self, from: text) } catch {
      throw StateTextError(
        description: "it was written and cannot be read again: \(error); written was \(start(of: text))")
    }
    let second: String
    do { second = try coder.encode(again) } catch {
      throw StateTextError(description: "it was read again and cannot be written any more: \(error)")
    }
    if !ExactString.exactlyEqual(text, second) {
      let offset = zip(text.utf8, second.utf8).prefix { $0 == $1 }.count
      throw StateTextError(
        description: "it is another one when it is read again: written was \(part(of: text, at: offset)), then "
          + part(of: second, at: offset))
    }
    return text
  }

  /// The state of a text.
  package static func state<S: Decodable>(_ type: S.Type, from text: String) throws -> S {
    try PayloadCoder().decode(type, from: text)
  }

  /// The state as it is read after it was kept.
  ///
  /// - Throws: ``StateTextError``.
  package static func again<S: Codable>(_ state: S) throws -> S { try self.state(S.self, from: text(of: state)) }

  private static func start(of text: String) -> String { part(of: text, at: 0) }

  /// Some of a long text, around an offset in its bytes.
  static func part(of text: String, at offset: Int) -> String {
    let from = max(0, offset - 40)
    let part = String(decoding: text.utf8.dropFirst(from).prefix(80), as: UTF8.self)
    return (from > 0 ? "…" : "") + part + (text.utf8.count > from + 80 ? "…" : "")
  }
}
