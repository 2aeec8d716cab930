/// A change to a row of a list.
///
///     switch change {
///     case .insert(let book, let path, _): print("+ \(book.title) at \(path)")
///     case .delete(let book, let path, _): print("- \(book.title) at \(path)")
///     case .move(let book, let old, let new, _): print("~ \(book.title) from \(old) to \(new)")
///     case .update(let book, _, let path): print("= \(book.title) at \(path)")
///     }
public enum RowChange<Row: AnnalsLists.Row>: Sendable {
  /// The row was deleted.
  ///
  /// `moved` is true if the row was also inserted at another place, so that both changes together replace a move.
  case delete(row: Row, at: RowPath, moved: Bool)
  /// The row was inserted.
  ///
  /// `moved` is true if the row was also deleted at another place, so that both changes together replace a move.
  case insert(row: Row, at: RowPath, moved: Bool)
  /// The row moved from one path to another.
  ///
  /// `contentChanged` is true if the row's content changed, too.
  case move(row: Row, from: RowPath, to: RowPath, contentChanged: Bool)
  /// The row's content changed, and the row didn't move.
  ///
  /// The new path `newAt` can differ from the old path `at`, because other rows were inserted or deleted.
  case update(row: Row, at: RowPath, newAt: RowPath)

  /// The row after the change, or the deleted row.
  public var row: Row {
    switch self {
    case .delete(let row, _, _), .insert(let row, _, _), .move(let row, _, _, _), .update(let row, _, _): row
    }
  }
}

extension RowChange: Equatable {
  /// Returns whether two changes are of the same kind, with the same paths and flags, and with the same row content.
  public static func == (left: RowChange, right: RowChange) -> Bool {
    switch (left, right) {
    case (.delete(let row, let at, let moved), .delete(let other, let otherAt, let otherMoved)),
      (.insert(let row, let at, let moved), .insert(let other, let otherAt, let otherMoved)):
      at == otherAt && moved == otherMoved && row.isSame(as: other)
    case (.move(let row, let from, let to, let isChanged), .move(let other, let otherFrom, let otherTo, let isOther)):
      from == otherFrom && to == otherTo && isChanged == isOther && row.isSame(as: other)
    case (.update(let row, let at, let newAt), .update(let other, let otherAt, let otherNewAt)):
      at == otherAt && newAt == otherNewAt && row.isSame(as: other)
    default: false
    }
  }
}
