import AnnalsLog
import Synchronization

/// A report on the states that one store object saved and read for a ``SnapshotDecider``.
public struct SnapshotReport: Hashable, Sendable {
  /// The number of times that a state was passed to the store's snapshot storage, to be saved.
  public internal(set) var kept = 0
  /// The number of times that the store read a saved state, and applied only newer events to that state.
  ///
  /// The store reads a saved state if it has no state in memory, for example after a launch.
  public internal(set) var restored = 0
  /// The latest reason why a state couldn't be saved or read, or `nil` if a later save succeeded or no such failure
  /// occurred.
  ///
  /// No data are lost in this case. Instead, the first command after a launch replays all events and takes longer.
  public internal(set) var problem: String?
}

extension EventStore {
  /// Returns a report on the states that this store saves for a decider.
  ///
  /// - Parameter decider: The decider type.
  /// - Returns: The report since the store was created. The report is empty if the store hasn't tried to save a state
  ///   yet.
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

  /// The entries by store.
  ///
  /// When a store's entry is created, the entries of deallocated stores are removed.
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

/// An error for a state that can't be encoded and decoded, or that changes when it is decoded.
package struct StateTextError: Error, CustomStringConvertible {
  /// A message with the attempt and its outcome.
  package let description: String
}

/// The functions that convert a decider's state to the canonical string in which it is kept.
package enum StateText {
  /// Returns a state's string, which decodes to an equal state.
  ///
  /// - Throws: ``StateTextError``.
  package static func text<S: Codable>(of state: S) throws(StateTextError) -> String {
    let coder = PayloadCoder(isCanonical: true)
    let text: String
    do { text = try coder.encode(state) } catch {
      throw StateTextError(description: "the state cannot be encoded as JSON: \(error)")
    }
    let again: S
    do { again = try coder.decode(S.self, from: text) } catch {
      throw StateTextError(
        description: "the state was encoded as \(start(of: text)), but cannot be decoded: \(error)")
    }
    let second: String
    do { second = try coder.encode(again) } catch {
      throw StateTextError(description: "the state was decoded, but cannot be re-encoded: \(error)")
    }
    if !ExactString.exactlyEqual(text, second) {
      let offset = zip(text.utf8, second.utf8).prefix { $0 == $1 }.count
      throw StateTextError(
        description: "the state changes when it is decoded: it was first encoded as \(part(of: text, at: offset)), but "
          + "after decoding as \(part(of: second, at: offset))")
    }
    return text
  }

  /// Returns the state that a string encodes.
  package static func state<S: Decodable>(_ type: S.Type, from text: String) throws -> S {
    try PayloadCoder().decode(type, from: text)
  }

  /// Returns a state after encoding and decoding it.
  ///
  /// - Throws: ``StateTextError``.
  package static func again<S: Codable>(_ state: S) throws -> S { try self.state(S.self, from: text(of: state)) }

  private static func start(of text: String) -> String { part(of: text, at: 0) }

  /// Returns the part of a long string around a byte offset.
  static func part(of text: String, at offset: Int) -> String {
    let from = max(0, offset - 40)
    let part = String(decoding: text.utf8.dropFirst(from).prefix(80), as: UTF8.self)
    return (from > 0 ? "…" : "") + part + (text.utf8.count > from + 80 ? "…" : "")
  }
}
