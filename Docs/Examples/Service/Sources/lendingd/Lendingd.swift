import Annals
import Foundation
import Hummingbird
import LendingService
import Logging
import ServiceLifecycle

/// The service as a process: `PORT=8080 DATABASE_URL=postgresql://… lendingd`.
@main
struct Lendingd {
  static func main() async {
    let logger = Logger(label: "lendingd")
    do { try await run(logger) } catch {
      logger.critical("\(error)")
      exit(1)
    }
  }

  private static func run(_ logger: Logger) async throws {
    let options = try ServiceOptions(environment: ProcessInfo.processInfo.environment)
    let environment = StoreEnvironment(report: { logger.error("\($0)") })
    let (log, close) = try await options.open(environment: environment)
    let service = LendingService(log: log) { logger.error("\($0)") }

    let app = Application(
      responder: LendingResponder(service: service),
      configuration: ApplicationConfiguration(address: .hostname(options.host, port: options.port)),
      onServerRunning: { logger.notice("lendingd listens on port \($0.localAddress?.port ?? options.port)") },
      logger: logger)
    // At SIGTERM, the services end one after the other, from the last to the first: streams, requests, the log.
    var configuration = ServiceGroupConfiguration(
      services: [ListService(service: service, close: close), app, StreamService(service: service)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(25)
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// Keeps the list current, and closes the log at the end.
struct ListService: Service {
  let service: LendingService
  let close: @Sendable () async -> Void

  func run() async throws {
    do { try await cancelWhenGracefulShutdown { try await service.run() } } catch {
      await close()
      throw error
    }
    await close()
  }
}

/// Ends the streams of changes when the process shuts down, because the server waits for its requests.
struct StreamService: Service {
  let service: LendingService

  func run() async throws {
    try await gracefulShutdown()
    service.endStreams()
  }
}
