#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsSQLite
  import Foundation
  import KanbanApp
  import KanbanDomain
  import Synchronization

  /// The board with its log in PostgreSQL, as processes on several machines.
  ///
  ///     kanbanserver serve URL        does the commands that come, a line each
  ///     kanbanserver watch URL FILE   shows the board of a replica, until a line comes
  ///     kanbanserver fold URL         prints what the server's log says, folded by hand
  @main
  struct KanbanServer {
    static func main() async throws {
      let words = CommandLine.arguments.dropFirst()
      guard words.count >= 2 else { return print("kanbanserver serve URL | watch URL FILE | fold URL") }
      let store = try await PostgresEventStore(url: words[2])
      switch (words[1], words.count) {
      case ("serve", 2): try await serve(store)
      case ("watch", 3): try await watch(store, file: words[3])
      case ("fold", 2): try await fold(store)
      default: print("kanbanserver serve URL | watch URL FILE | fold URL")
      }
    }

    /// Does each command, and says what came of it.
    private static func serve(_ store: PostgresEventStore) async throws {
      for try await line in lines() {
        do {
          let command = try KanbanWords.command(line.split(separator: " ").map(String.init))
          print("done", try await store.execute(command, on: Board.main).position)
        } catch let refusal as Board.Refusal { print("refused: \(refusal)") }
      }
    }

    /// Keeps a copy and its board up to date until a line comes, and prints the board.
    @MainActor
    private static func watch(_ store: PostgresEventStore, file: String) async throws {
      let replica = Replica(of: store, in: try SQLiteEventStore(path: file))
      let board = FetchedResultsController(store: replica.log, projection: Cards(), request: .board)
      try board.performFetch()
      var batches = 0
      let watch = board.observe { _ in batches += 1 }
      let copying = Task { try await replica.run() }
      for try await _ in lines() { break }
      try await replica.catchUp()
      copying.cancel()
      try await copying.value
      withExtendedLifetime(watch) {}
      FileHandle.standardError.write(Data("\(batches) batches\n".utf8))
      for section in board.results {
        for card in section { print(line(section.title, card.id, card.title, card.since)) }
      }
    }

    /// Folds the server's events into plain dictionaries, without a list and without a replica.
    private static func fold(_ store: PostgresEventStore) async throws {
      let cards = Mutex<[Int: (column: Column, title: String, since: Position)]>([:])
      let name = "fold-\(UUID().uuidString)"
      let follower = try RemoteFollower(name, of: KanbanEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        cards.withLock { cards in
          switch recorded.event {
          case .added(let card, let title): cards[card] = (.backlog, title, recorded.position)
          case .renamed(let card, let title): cards[card]?.title = title
          case .moved(let card, _, let column):
            cards[card]?.column = column
            cards[card]?.since = recorded.position
          case .removed(let card): cards[card] = nil
          case .limited: break
          }
        }
      }
      try await follower.catchUp()
      try await store.forgetFollower(name, version: 1)
      let found = cards.withLock { $0 }
      for column in Column.allCases {
        for (id, card) in found.filter({ $0.value.column == column }).sorted(by: { $0.value.since < $1.value.since }) {
          print(line("\(column)", id, card.title, card.since))
        }
      }
    }

    private static func line(_ column: String, _ id: Int, _ title: String, _ since: Position) -> String {
      "\(column) \(id) \(title) since \(since)"
    }

    /// The lines of the standard input, read on a thread that may wait.
    private static func lines() -> AsyncStream<String> {
      AsyncStream { continuation in
        Thread.detachNewThread {
          while let line = readLine() { continuation.yield(line) }
          continuation.finish()
        }
      }
    }
  }
#else
  @main
  struct KanbanServer {
    static func main() { print("build with --traits Postgres") }
  }
#endif
