import Annals
import AnnalsReplay
import Shop

@main
struct ShopTool {
  static let tool = ReplayTool(
    ReplayList(
      Shelves(), request: ListRequest(sort: [.descending(\.price)], section: .by(\.shelf)), sentence: sentence),
    ReplayCommands(
      Bookshop.self,
      examples: [
        .insert(Book(id: "b7", title: "Dune", price: 9, shelf: "odd")), .reprice(id: "b1", to: 9), .delete(id: "b1"),
        .renameShelf("odd", to: "Odd books"),
      ]),
    ReplayRedaction(fields: ["price"], types: ["BookRepriced"]), name: "shoptool")

  static func main() { tool.main() }

  private static func sentence(_ event: BookEvent) -> String? {
    switch event {
    case .inserted(let book): "Stocked \(book.title) for \(book.price)"
    case .repriced(let id, let price): "Repriced \(id) to \(price)"
    case .deleted(let id): "Removed \(id)"
    case .shelfRenamed: nil
    }
  }
}
