import Annals
import AnnalsLog
import Synchronization

/// Notes which of the fields that options name are found in rows, so that a misspelt one is noticed.
final class FieldUse: Sendable {
  private struct State {
    var missing: [FieldPath]
    var known: Set<ExactString> = []
  }

  private let fields: [FieldPath]
  private let state: Mutex<State>
  /// True as long as a field was not found; asked without a lock.
  private let isLooking: Atomic<Bool>

  init(_ fields: [FieldPath]) {
    self.fields = fields.filter { !$0.isID }
    state = Mutex(State(missing: self.fields))
    isLooking = Atomic(!self.fields.isEmpty)
  }

  /// Begins to look once more.
  func begin() {
    state.withLock { $0 = State(missing: fields) }
    isLooking.store(!fields.isEmpty, ordering: .relaxed)
  }

  /// Looks for the fields in a record.
  func note(_ record: Record) {
    guard isLooking.load(ordering: .relaxed) else { return }
    state.withLock { state in
      state.missing.removeAll { $0.value(in: record) != .null }
      for member in record.members { state.known.insert(ExactString(member.name)) }
      isLooking.store(!state.missing.isEmpty, ordering: .relaxed)
    }
  }

  /// The fields that no row had, if there were rows.
  ///
  /// - Parameter others: Names that can also be meant.
  /// - Returns: The fields.
  func unknown(among others: [String] = []) -> [UnknownField] {
    let (missing, known) = state.withLock { ($0.missing, $0.known) }
    if known.isEmpty { return [] }
    var seen: Set<String> = []
    return missing.filter { seen.insert($0.text).inserted }.map { field in
      let names = known.sorted().map(\.text) + others.filter { $0 != field.text }
      return UnknownField(name: field.text, nearest: Nearest.name(to: field.text, among: names))
    }
  }
}

/// A field that no row had, with the nearest name of a field.
package struct UnknownField {
  let name: String
  let nearest: String?

  /// The field after some words, such as "no row has a field".
  func sentence(_ words: String = "no row has a field") -> String {
    "\(words) \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
  }
}
