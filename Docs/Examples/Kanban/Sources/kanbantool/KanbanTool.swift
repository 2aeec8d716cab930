import Annals
import AnnalsReplay
import KanbanDomain

@main
struct KanbanTool {
  static func main() { ReplayTool(ReplayList(Cards(), request: .board)).main() }
}
