import Foundation

extension Rows {
  /// Changes a row in place, and throws an error if the row doesn't exist.
  ///
  /// If a row may be missing, use ``update(_:_:)`` or `rows[id]?` instead, which then change no row. An error stops the
  /// list before the event, so that you notice a mistake in the projection or in a decider:
  ///
  ///     case .repriced(let id, let price): try rows.change(id) { $0.price = price }
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - change: A closure that modifies the row. It must not change the row's id.
  /// - Throws: An error that names the id if the row doesn't exist, or the error that the closure threw.
  /// - Complexity: O(log n) for n rows.
  public mutating func change(_ id: Row.ID, _ change: (inout Row) throws -> Void) throws {
    guard contains(id) else { throw Self.missing(id) }
    try update(id, change)
  }

  /// Adds a row, and throws an error if a row with the same id exists.
  ///
  /// If a row may exist, use ``insert(_:)`` instead, which replaces the row.
  ///
  /// - Parameter row: The row to add.
  /// - Throws: An error that names the id if a row with this id exists.
  /// - Complexity: O(log n) for n rows.
  public mutating func add(_ row: Row) throws {
    guard !contains(row.id) else { throw Self.existing(row.id) }
    insert(row)
  }

  private func contains(_ id: Row.ID) -> Bool { entries.entry(OrderKey(id)) != nil }

  static func missing(_ id: Row.ID) -> RowExistenceError { .init(problem: .missing, row: "\(Row.self)", id: "\(id)") }
  static func existing(_ id: Row.ID) -> RowExistenceError { .init(problem: .existing, row: "\(Row.self)", id: "\(id)") }
}

/// An error for a projection that was wrong about the existence of a row.
package struct RowExistenceError: LocalizedError, CustomStringConvertible {
  package enum Problem: Sendable {
    /// A row that doesn't exist was changed or deleted.
    case missing
    /// A row was inserted, although a row with its id existed.
    case existing
  }

  package let problem: Problem
  let row: String
  let id: String

  /// The message, for an alert.
  package var errorDescription: String? { description }

  package var description: String {
    switch problem {
    case .missing:
      "no row of the type \(row) has the id \(id), so it can't be changed; check the decider that accepted the "
        + "command, or use `rows[id]?` if the row may be missing"
    case .existing:
      "a row of the type \(row) with the id \(id) exists already, so it can't be added; check the decider that "
        + "accepted the command, or use `insert` to replace the row"
    }
  }
}
