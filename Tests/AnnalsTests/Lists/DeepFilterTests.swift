import AnnalsTesting
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLists

/// Filters of many parts, on a small stack.
@Suite struct DeepFilterTests {
  struct Line: Row {
    var id: Int
  }

  @Test func `a filter that was combined of 500 filters is evaluated on 512 KB of stack`() async throws {
    try await onSmallStack {
      let plain = (0..<500).map { number in RowFilter<Line>.where { $0.id == number } }
      let throwing = (0..<500).map { number in RowFilter<Line>.matching(#Predicate { $0.id == number }) }
      for filters in [plain, throwing] {
        let any = filters.dropFirst().reduce(filters[0]) { $0 || $1 }
        let all = filters.dropFirst().reduce(!filters[0]) { $0 && !$1 }
        for id in [0, 250, 499, 500] {
          try ensureEqual(any.includes(Line(id: id)), id < 500)
          try ensureEqual(all.includes(Line(id: id)), id == 500)
        }
      }
    }
  }

  @Test func `a text with the maximum number of nested terms is read on 512 KB of stack`() async throws {
    try await onSmallStack {
      let fields = FilterFields<Line>(.field("id", \.id))
      for (open, close) in [("(", ")"), ("not ", "")] {
        let text = String(repeating: open, count: 40) + "id = 1" + String(repeating: close, count: 40)
        try ensure(try fields.filter(text).includes(Line(id: 1)), text)
      }
      let many = (0..<700).map { "id = \($0)" }.joined(separator: " or ")
      try ensure(try fields.filter(many).includes(Line(id: 699)), many)
    }
  }
}
