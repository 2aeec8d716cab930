import Annals
import AnnalsLog
import Synchronization

/// Notes which of the fields that options name are found in rows, and whether conditions compare them with values of
/// the same kind, so that a mistake is noticed.
final class FieldUse: Sendable {
  private struct State: Sendable {
    var missing: [FieldPath]
    /// The comparisons that accepted no value yet, with the first error.
    var unmet: [(comparison: FieldTest, text: String, problem: FilterError?)]
    var known: Set<ExactString> = []
    var hasRows = false

    var isLooking: Bool { !missing.isEmpty || !unmet.isEmpty }
  }

  private let first: State
  /// The fields that order the rows.
  private let order: Set<String>
  private let state: Mutex<State>
  /// True as long as a field was not found; asked without a lock.
  private let isLooking: Atomic<Bool>

  init(_ conditions: [RowCondition], order: [FieldPath] = []) {
    self.order = Set(order.map(\.text))
    let unmet = conditions.flatMap { condition in
      condition.comparisons.map { ($0, condition.text, nil as FilterError?) }
    }
    first = State(missing: (conditions.flatMap(\.fields) + order).filter { !$0.isID }, unmet: unmet)
    state = Mutex(first)
    isLooking = Atomic(first.isLooking)
  }

  /// True if each field was found, and each comparison accepted a value.
  var isComplete: Bool { !isLooking.load(ordering: .relaxed) }

  /// Begins to look once more.
  func begin() {
    state.withLock { $0 = first }
    isLooking.store(first.isLooking, ordering: .relaxed)
  }

  /// Looks for the fields in a record.
  func note(_ record: Record) { note(record.members) { $0.value(in: record) } }

  /// Looks for the fields in an object.
  func note(_ members: [JSONMember], _ value: (FieldPath) -> JSONValue) {
    if isComplete { return }
    state.withLock { state in
      state.hasRows = true
      state.missing.removeAll { value($0) != .null }
      for index in state.unmet.indices.reversed() {
        let found = value(state.unmet[index].comparison.field)
        if found == .null { continue }
        if let problem = state.unmet[index].comparison.problem(with: found) {
          state.unmet[index].problem = problem
        } else {
          state.unmet.remove(at: index)
        }
      }
      for member in members { state.known.insert(ExactString(member.name)) }
      isLooking.store(state.isLooking, ordering: .relaxed)
    }
  }

  /// Throws if a condition compares a field with a value of another kind than all values of the rows.
  ///
  /// - Parameter name: The name of the option or operand.
  /// - Throws: ``ReplayError``.
  func checkKinds(_ name: String = "") throws {
    let unmet = state.withLock { $0.hasRows ? $0.unmet : [] }
    for (comparison, text, problem) in unmet {
      // A word that isn't a field was perhaps a part of a value, as in "title = War and Peace".
      let problem = problem ?? (comparison.isImplied ? comparison.problem(with: .null) : nil)
      if let problem { throw problem.usage(name, text) }
    }
  }

  /// The fields that no row had, if there were rows.
  ///
  /// - Parameter others: Names that can also be meant.
  /// - Returns: The fields.
  func unknown(among others: [String] = []) -> [UnknownField] {
    let (missing, known, hasRows) = state.withLock { ($0.missing, $0.known, $0.hasRows) }
    if !hasRows { return [] }
    var seen: Set<String> = []
    return missing.filter { seen.insert($0.text).inserted }.map { field in
      let names = known.sorted().map(\.text) + others.filter { $0 != field.text }
      return UnknownField(
        name: field.text, nearest: Nearest.name(to: field.text, among: names), isOfOrder: order.contains(field.text))
    }
  }
}

/// A field that no row had, with the nearest name of a field.
package struct UnknownField {
  let name: String
  var nearest: String?
  /// True if rows are sorted or cut into sections by the field.
  var isOfOrder = false

  /// The field after some words, such as "no row has a field".
  func sentence(_ words: String = "no row has a field") -> String {
    "\(words) \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
  }
}
