import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// The code of `Docs/YourOwnTool.md`.
@Suite struct ToolPages {
  /// The tool of the page, which no test runs because `main()` ends the process.
  static func main() {
    ReplayTool(ReplayList(Books(), request: ListRequest(sort: [.descending(\.price)]))).main()
  }

  struct Ware: Row {
    let id: String
    var price: Double
  }

  enum WarePageEvent: Event {
    case inserted(Ware), repriced(id: String, to: Double), deleted(id: String)
  }

  enum WarePageCommand: Codable, Sendable {
    case insert(Ware), reprice(id: String, to: Double), delete(id: String)
  }

  struct Wares: Projection {
    func project(_ event: WarePageEvent, into rows: inout Rows<Ware>) {
      switch event {
      case .inserted(let ware): rows.insert(ware)
      case .repriced(let id, let price): rows[id]?.price = price
      case .deleted(let id): rows[id] = nil
      }
    }
  }

  struct Bookshop: Decider {
    struct Unknown: Error {}
    var wares: Set<String> = []

    func decide(_ command: WarePageCommand) throws(Unknown) -> [WarePageEvent] {
      switch command {
      case .insert(let ware): return [.inserted(ware)]
      case .reprice(let id, let price):
        guard wares.contains(id) else { throw Unknown() }
        return [.repriced(id: id, to: price)]
      case .delete(let id):
        guard wares.contains(id) else { throw Unknown() }
        return [.deleted(id: id)]
      }
    }

    mutating func evolve(_ event: WarePageEvent) {
      switch event {
      case .inserted(let ware): wares.insert(ware.id)
      case .deleted(let id): wares.remove(id)
      case .repriced: break
      }
    }
  }

  @Test func `the tool of the page executes commands of the decider`() throws {
    let commands =
      ReplayCommands(
        Bookshop.self,
        command: { event in
          switch event {
          case .repriced(let id, let price): .reprice(id: id, to: price)
          case .deleted(let id): .delete(id: id)
          default: nil
          }
        })
    let log = FileManager.default.temporaryDirectory.appending(path: "annals-tool-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: log + end) } }
    let store = try SQLiteEventStore(path: log)
    try store.execute(.insert(Ware(id: "1", price: 5)), on: Bookshop["main"])
    let tool = ReplayTool(ReplayList(Wares()), commands, name: "shoptool")
    let answer = tool.answer(to: ["do", log, "Bookshop", "main", #"{"reprice":{"id":"1","to":9}}"#])
    #expect(answer.status == 0, "\(answer.output)")
    #expect(try store.list(of: Wares()).rows.map(\.price) == [9])
  }
}
