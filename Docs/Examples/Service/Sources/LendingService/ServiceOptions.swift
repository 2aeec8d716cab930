public import Annals
import AnnalsPostgres
import AnnalsRemote
import AnnalsSQLite

/// The options of the program, which it reads from the environment.
///
/// | variable | default | meaning |
/// |---|---|---|
/// | `HOST`, `PORT` | `127.0.0.1`, 8080 | the address of the service, with port 0 for any free port |
/// | `DATABASE_URL` | | the log in PostgreSQL |
/// | `ANNALS_POSTGRES_…` | | the options of the log in PostgreSQL (see `PostgresOptions.init(environment:)`) |
/// | `LENDING_FILE` | | the log in a file, without `DATABASE_URL` |
///
/// Without `DATABASE_URL` and `LENDING_FILE`, the log is in memory.
public struct ServiceOptions: Sendable {
  public enum Place: Sendable, Equatable {
    case postgres(url: String)
    case file(String)
    case memory
  }

  /// An environment variable with a wrong value.
  public struct Problem: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  public let host: String
  public let port: Int
  public let place: Place
  #if Postgres
    private let postgres: PostgresOptions
  #endif

  public init(environment: [String: String]) throws {
    host = environment["HOST"] ?? "127.0.0.1"
    let port = environment["PORT"] ?? "8080"
    guard let number = Int(port), (0...65_535).contains(number) else {
      throw Problem(description: "PORT must be a number from 0 to 65535 (was \(port))")
    }
    self.port = number
    #if Postgres
      postgres = try PostgresOptions(environment: environment)
    #endif
    if let url = environment["DATABASE_URL"] {
      place = .postgres(url: url)
    } else if let file = environment["LENDING_FILE"] {
      place = .file(file)
    } else {
      place = .memory
    }
  }

  /// Opens the log.
  ///
  /// - Parameter environment: The logs' environment, with your monitor and your closure for reports.
  /// - Returns: The log, and a closure that ends its running calls and closes it.
  /// - Throws: `EventStoreError` if the log can't be opened, or ``Problem`` without PostgreSQL.
  public func open(
    environment: StoreEnvironment = StoreEnvironment()
  ) async throws -> (log: ServiceLog, close: @Sendable () async -> Void) {
    switch place {
    #if Postgres
      case .postgres(let url):
        let store = try await PostgresEventStore(url: url, options: postgres, environment: environment)
        // A copy in memory is made anew at every start. So a server whose log was replaced needs nothing but a restart.
        let replica = Replica(of: store, in: MemoryEventStore(environment: environment))
        let close: @Sendable () async -> Void = {
          // If the process must end earlier, the task is cancelled.
          try? await store.drain()
          store.close()
        }
        return (.remote(replica), close)
    #else
      case .postgres:
        throw Problem(description: "DATABASE_URL needs PostgreSQL: build the service with --traits Postgres")
    #endif
    case .file(let path):
      let store = try SQLiteEventStore(path: path, patience: .seconds(10), environment: environment)
      return (.local(store), { store.close() })
    case .memory: return (.local(MemoryEventStore(environment: environment)), {})
    }
  }
}
