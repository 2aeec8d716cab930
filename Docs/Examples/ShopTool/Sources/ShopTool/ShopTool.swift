import Annals
import AnnalsReplay
import Shop

@main
struct ShopTool {
  static func main() {
    ReplayTool(ReplayList(Shelves(), request: FetchRequest(sort: [.descending(\.price)], section: .by(\.shelf)))).main()
  }
}
