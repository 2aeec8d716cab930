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
/// | `DATABASE_SCHEMA` | `annals` | the schema of the log in PostgreSQL |
/// | `LENDING_FILE` | | the log in a file, without `DATABASE_URL` |
///
/// Without `DATABASE_URL` and `LENDING_FILE`, the log is in memory.
public struct ServiceOptions: Sendable, Equatable {
  public enum Place: Sendable, Equatable {
    case postgres(url: String, schema: String)
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

  public init(environment: [String: String]) throws {
    host = environment["HOST"] ?? "127.0.0.1"
    let port = environment["PORT"] ?? "8080"
    guard let number = Int(port), (0...65_535).contains(number) else {
      throw Problem(description: "PORT must be a number from 0 to 65535 (was \(port))")
    }
    self.port = number
    if let url = environment["DATABASE_URL"] {
      place = .postgres(url: url, schema: environment["DATABASE_SCHEMA"] ?? "annals")
    } else if let file = environment["LENDING_FILE"] {
      place = .file(file)
    } else {
      place = .memory
    }
  }

  /// Opens the log.
  ///
  /// - Parameter environment: The logs' environment, with your monitor and your closure for reports.
  /// - Returns: The log, and a closure that closes it after the last request.
  /// - Throws: `EventStoreError` if the log can't be opened, or ``Problem`` without PostgreSQL.
  public func open(
    environment: StoreEnvironment = StoreEnvironment()
  ) async throws -> (log: ServiceLog, close: @Sendable () -> Void) {
    switch place {
    #if Postgres
      case .postgres(let url, let schema):
        let store = try await PostgresEventStore(
          url: url, options: PostgresOptions(schema: schema), environment: environment)
        // A copy in memory is made anew at every start. So a server whose log was replaced needs nothing but a restart.
        return (.remote(Replica(of: store, in: MemoryEventStore(environment: environment))), { store.close() })
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
