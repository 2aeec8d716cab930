import Annals
import TodoDomain

/// The list as lines that follow the changes of a controller: headers, and items under them.
///
/// It is loaded once. After that each batch changes the lines that it names, and no other line is touched.
public struct ListPane: Equatable, Sendable {
  /// A line of the list.
  public enum Line: Equatable, Sendable {
    case header(String)
    case item(Todo)
  }

  /// The lines, from the first one on.
  public private(set) var lines: [Line] = []

  public init() {}

  /// Loads all lines.
  ///
  /// - Parameter results: The list.
  public init(_ results: Results<Todo>) {
    for section in results {
      lines.append(.header(section.title))
      for todo in section { lines.append(.item(todo)) }
    }
  }

  /// Changes the lines that a batch names.
  ///
  /// - Parameter changes: The batch.
  /// - Returns: How many lines were read again.
  @discardableResult
  public mutating func apply(_ changes: Changes<Todo>) -> Int {
    // What comes is read when all edits are done: their indices are those in between.
    var lines: [Line?] = self.lines
    for edit in changes.rangeEdits(headers: true) {
      switch edit {
      case .delete(let range): lines.removeSubrange(range)
      case .move(let from, let to): lines.insert(lines.remove(at: from), at: to)
      case .insert(let range): lines.insert(contentsOf: range.map { _ in nil }, at: range.lowerBound)
      case .update(let range): for index in range { lines[index] = nil }
      }
    }
    var index = 0
    var read = 0
    for section in changes.new {
      if lines[index] == nil {
        lines[index] = .header(section.title)
        read += 1
      }
      for row in section.indices where lines[index + 1 + row] == nil {
        lines[index + 1 + row] = .item(section[row])
        read += 1
      }
      index += 1 + section.count
    }
    self.lines = lines.compactMap { $0 }
    return read
  }

  /// The items' ids, in the order of the lines.
  public var ids: [Int] {
    lines.compactMap { line in
      if case .item(let todo) = line { todo.id } else { nil }
    }
  }
}
