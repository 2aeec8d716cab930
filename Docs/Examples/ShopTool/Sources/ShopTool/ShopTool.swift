import Annals
import AnnalsReplay
import Shop

@main
struct ShopTool {
  static func main() {
    ReplayTool(ReplayList(Shelves(), request: ListRequest(sort: [.descending(\.price)], section: .by(\.shelf)))).main()
  }
}
