import Annals
import Foundation
import Testing

// On Apple's systems, these modules declare the properties of index paths that Annals declares elsewhere.
#if canImport(UIKit)
  import UIKit
#elseif canImport(AppKit)
  import AppKit
#endif

@Suite struct ResultsSectionTests {
  private func list(_ change: (inout Rows<Item>) -> Void = { _ in }) -> Results<Item> {
    var rows = Rows<Item>()
    for item in [Item("a", "x", 1), Item("b", "y", 1), Item("c", "y", 2)] { rows.insert(item) }
    change(&rows)
    return Results(ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)), of: rows, at: 0)
  }

  @Test func `A section is identified by its key, whatever its title, its rows and its index are`() {
    func ids(_ sections: some RandomAccessCollection<some Identifiable<SectionKey>>) -> [SectionKey] {
      sections.map(\.id)
    }
    #expect(ids(list().sections) == ["x", "y"])
    let other = list { rows in
      rows["a"] = nil
      rows.insert(Item("d", nil, 0))
      rows.renameSection("y", of: \.group, to: "Why")
    }
    #expect(ids(other.sections) == [.null, "y"])
  }

  @Test func `What goes through sections and rows one by one finds what indices find`() {
    let list = list()
    var sections = list.makeIterator()
    #expect(
      sections.next() == list[0] && sections.next() == list[1] && sections.next() == nil && sections.next() == nil)
    var rows = list.rows.makeIterator()
    for index in list.rows.indices { #expect(rows.next() == list.rows[index]) }
    #expect(rows.next() == nil && rows.next() == nil)
    var own = list[1].makeIterator()
    #expect(own.next()?.id == "b" && own.next()?.id == "c" && own.next() == nil)
    var copy = list.rows.makeIterator()
    _ = copy.next()
    let rest = copy
    #expect(copy.next()?.id == "b" && IteratorSequence(rest).map(\.id) == ["b", "c"], "a copy goes on by itself")
  }

  @Test func `An index path has its section, its row and its item on every platform`() {
    let path = IndexPath(item: 2, section: 1)
    #expect(path == IndexPath(row: 2, section: 1) && path == IndexPath(RowPath(section: 1, row: 2)))
    #expect(path.section == 1 && path.row == 2 && path.item == 2)
  }

  @Test func `Sections of a named cut are given titles and numbers by its name`() {
    let request = ListRequest<Item>(
      sort: [.ascending(\.rank)], section: .by("half", order: .byNumber) { $0.rank / 2 })
    var rows = Rows<Item>()
    for rank in 0..<6 { rows.insert(Item("\(rank)", nil, rank)) }
    rows.numberSection(2, of: "half", to: 1)
    rows.numberSection(0, of: "half", to: 2)
    rows.numberSection(1, of: "another", to: 0)
    rows.renameSection(1, of: "half", to: "none")
    let list = Results(request, of: rows, at: 0)
    #expect(list.map(\.id) == [2, 0, 1] && list.map(\.title) == ["2", "0", "none"])
  }
}
