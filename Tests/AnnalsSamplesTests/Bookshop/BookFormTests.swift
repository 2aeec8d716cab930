import Annals
import AnnalsSamples
import AnnalsTesting
import Foundation
import Testing

/// A form that is open while the shop goes on selling.
@Suite struct BookFormTests {
  private let store: any EventStore = MemoryEventStore()

  private func shop() throws -> FetchedResultsController<Book> {
    let list = FetchedResultsController(store: store, projection: BooksForSale(), request: .byPrice)
    try list.performFetch()
    return list
  }

  @Test func `a form is filled in while the shop sells, saved as a whole, and undone step by step`() throws {
    let shop = try shop()
    for book in [Book("b1", "Emma", 5), Book("b2", "Ulysses", 8)] {
      try store.execute(.stock(book), on: Bookshop["main"])
    }
    let form = try BookForm(store, of: "seller-1")
    try form.enter(.raise(id: "b1", by: 4), named: "Raise Price")
    try form.enter(.stock(Book("b3", "Persuasion", 7)), named: "Stock Book")
    try form.enter(.withdraw(id: "b2"), named: "Withdraw Book")
    try form.history.undo()
    // The shop goes on.
    try store.execute(.stock(Book("b4", "Walden", 6)), on: Bookshop["main"])
    #expect(form.list.results.rows.map(\.title) == ["Walden", "Persuasion", "Ulysses", "Emma"])
    #expect(shop.results.rows.map(\.title) == ["Emma", "Walden", "Ulysses"])
    try form.save()
    #expect(shop.results.rows.map(\.title) == ["Walden", "Persuasion", "Ulysses", "Emma"])
    let history = BookForm.history(store, of: "seller-1")
    #expect(try history.stacks().undo.map(\.title) == ["Raise Price", "Stock Book"])
    #expect(try history.stacks().redo.map(\.title) == ["Withdraw Book"])
    try history.undo()
    try history.undo()
    #expect(shop.results.rows.map(\.title) == ["Emma", "Walden", "Ulysses"])
    #expect(try history.stacks().undo.isEmpty)
  }

  @Test func `a form that the shop refuses stays open, and changes nothing`() throws {
    let form = try BookForm(store, of: "seller-1")
    try form.enter(.stock(Book("b1", "Emma", 5)), named: "Stock Book")
    try store.execute(.stock(Book("b1", "Emma", 9)), on: Bookshop["main"])
    let conflicts = #expect(throws: Branch.MergeError.self) { try form.save() }
    #expect(conflicts?.refused.map { $0.error as? Bookshop.Refusal } == [.alreadyThere("b1")])
    #expect(try store.head() == 1 && form.list.results.rows.map(\.price) == [9])
  }

  @Test func `what a bookseller does is taken back, whatever the prices are`() throws {
    let commands = Generator<BookCommand> { draw in
      let id = "b\(try draw(.int(in: 1...3)))"
      switch try draw(.int(in: 0...2)) {
      case 0: return .stock(Book(id, "Emma", Double(try draw(.int(in: 0...9_999))) / 7))
      case 1: return .raise(id: id, by: Double(try draw(.int(in: -100...9_999))) / 11)
      default: return .withdraw(id: id)
      }
    }
    try check(.array(of: commands, count: 0...8), settings: CheckSettings(examples: 200)) {
      try Bookshop.ensureUndoes($0, in: BooksForSale())
    }
  }
}
