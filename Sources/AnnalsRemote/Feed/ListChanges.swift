public import Annals

/// The changes from one version of a list to a later version, as a service sends them to its clients.
///
/// The JSON contains the rows as their `Codable` conformance encodes them. In this example, a drill moves from the
/// first section, which disappears, to a new section:
///
///     {
///       "after": 1, "position": 2,
///       "rows": [
///         {"from": [0, 0]},
///         {"row": {"id": "drill", "member": "ann", "title": "Drill"}, "to": [0, 0]}
///       ],
///       "sections": [{"from": 0}, {"title": "lent", "to": 0}]
///     }
///
/// `after` is the position of the old list, and `position` is the position of the new list. `from` is a place in the
/// old list, and `to` is a place in the new list. A section's place is its index. A row's place is the section's index,
/// followed by the row's index in the section. `title` and `row` are the content in the new list. A section without
/// `title` keeps its title. Both arrays can be empty, because the position can change without a change of the list.
///
/// A client applies the changes in this order:
///
/// 1. Remove the rows with `from`, from the last place to the first.
/// 2. Remove the sections with `from`, from the last place to the first.
/// 3. Insert the sections with `to`, from the first place to the last. If the section also has `from`, it's the removed
///    section with its remaining rows. Otherwise, it's a new section without rows.
/// 4. Insert the rows with `to`, from the first place to the last.
///
/// In Swift, ``ListPage/apply(_:)`` applies them. Aggregates, such as counts and sums, aren't part of the changes.
public struct ListChanges<Row: Annals.Row>: Codable, Equatable, Sendable {
  struct SectionEdit: Codable, Equatable {
    var from: Int?
    var to: Int?
    var title: String?
  }

  struct RowEdit: Codable, Equatable {
    /// The indices of the section and of the row in it.
    var from: [Int]?
    var to: [Int]?
    var row: Row?
  }

  /// The position of the old list.
  public let after: Position
  /// The position of the new list.
  public let position: Position
  let sections: [SectionEdit]
  let rows: [RowEdit]

  /// Creates the message for changes.
  ///
  /// - Parameter changes: The changes, for example between the list that a client has and the latest list.
  /// - Complexity: O(c) for c changes.
  public init(_ changes: Changes<Row>) {
    after = changes.from
    position = changes.to
    var sections: [SectionEdit] = []
    // A section that moved can also have a new title.
    var moves: [Int: Int] = [:]
    for change in changes.sections {
      switch change {
      case .delete(let index, _): sections.append(SectionEdit(from: index))
      case .insert(let index, _, let title): sections.append(SectionEdit(to: index, title: title))
      case .move(let from, let to, _):
        moves[from] = sections.count
        sections.append(SectionEdit(from: from, to: to))
      case .update(let index, let newIndex, _, let title):
        if let move = moves[index] {
          sections[move].title = title
        } else {
          sections.append(SectionEdit(from: index, to: newIndex, title: title))
        }
      }
    }
    self.sections = sections
    rows = changes.rows.map { change in
      switch change {
      case .delete(_, let at, _): RowEdit(from: [at.section, at.row])
      case .insert(let row, let at, _): RowEdit(to: [at.section, at.row], row: row)
      case .move(let row, let from, let to, _):
        RowEdit(from: [from.section, from.row], to: [to.section, to.row], row: row)
      case .update(let row, let at, let newAt):
        RowEdit(from: [at.section, at.row], to: [newAt.section, newAt.row], row: row)
      }
    }
  }

  /// Creates a message without changes, which repeats a position.
  init(at position: Position) {
    (after, self.position, sections, rows) = (position, position, [], [])
  }

  /// True if the new list has the same sections, rows and position as the old list.
  var isEmpty: Bool { after == position && sections.isEmpty && rows.isEmpty }
}
