import Annals
import Foundation

extension Scenario {
  static func bookshop(_ store: some EventStore) throws -> Scenario {
    for (index, book) in [
      ("《红楼梦》", 50.5), ("《西游记》", 48.5), ("《水浒传》", 67.5), ("《三国演义》", 70), ("《资治通鉴》", 79),
      ("《本草纲目》", 59), ("《二十四史》", 98),
    ].enumerated() {
      try store.execute(.stock(Book("b\(index + 1)", book.0, book.1)), on: Bookshop["main"])
    }
    let screen = try BookshopScreen(store)
    let asCoreData = try BookshopScreen(store, reportedMoves: .rows)
    let shown = AnyListScreen(screen)
    return Scenario(
      name: "bookshop", summary: "Books by price. The delegate handles no moves, so none are reported.", screen: shown,
      steps: [
        Step(title: "Delete the last book.", screen: shown) {
          try screen.delete(at: IndexPath(RowPath(section: 0, row: 6)))
        },
        Step(
          title: "Delete the first book and add two books, in one transaction.",
          remark:
            "In the Core Data tutorial behind this sample, the app saves three times, so the table gets three batches.",
          screen: shown
        ) {
          try screen.delete(
            at: IndexPath(RowPath(section: 0, row: 0)),
            stocking: [Book("b8", "《狂人日记》", 20), Book("b9", "《洗冤集录》", 24.5)])
        },
        Step(
          title: "Raise the third book's price by 10 instead of deleting the book: its row moves.",
          remark:
            "Core Data's controller reports a move, even to a delegate that can't handle moves. Here, "
            + "reportedMoves is [], so the delegate receives a deletion and an insertion.", isOnTour: true,
          screen: shown
        ) {
          _ = asCoreData.tap.takeNotes()
          try screen.raise(at: IndexPath(RowPath(section: 0, row: 2)), by: 10)
        },
        Step(
          title: "The same delegate, but with reported moves, as in Core Data.",
          remark:
            "No exception is raised, but the table is wrong until it is reloaded. Core Data's controller wouldn't even "
            + "report the new price, because it reports no updates of moved rows.", isOnTour: true,
          screen: AnyListScreen(asCoreData)
        ) {},
      ] + (try formSteps(store, shown)))
  }

  /// Returns the steps of a form that is filled in while the shop stays open.
  private static func formSteps(_ store: some EventStore, _ shop: AnyListScreen) throws -> [Step] {
    let form = try BookForm(store, of: "seller-1")
    let screen = try BookshopScreen(form.draft, cacheName: nil)
    let shown = AnyListScreen(screen)
    let history = BookForm.history(store, of: "seller-1")
    return [
      Step(
        title:
          "In a form, stock a book and raise the first book's price: only the form's list shows the two changes.",
        remark:
          "The form is a branch of the log. In Core Data, a form uses a child context, which saves its changes "
          + "regardless of other users' changes.", isDraft: true, screen: shown
      ) {
        _ = screen.tap.takeNotes()
        try form.enter(.stock(Book("b10", "《论衡》", 33)), named: "Stock Book")
        let first = screen.controller.object(at: IndexPath(RowPath(section: 0, row: 0)))
        try form.enter(.raise(id: first.id, by: 30), named: "Raise Price")
      },
      Step(
        title: "Another seller withdraws a book: the book disappears from the form's list too.", isDraft: true,
        screen: shown
      ) {
        try store.execute(.withdraw(id: "b5"), on: Bookshop["main"])
      },
      Step(
        title: "Save the form: its commands are re-decided on the shop's current state, in one transaction.",
        screen: shop
      ) {
        _ = shop.takeNotes()
        try form.save()
      },
      Step(title: "Undo the form's last command in the shop.", screen: shop) { try history.undo() },
    ]
  }
}
