#if Postgres
  import Annals
  @testable import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Several hosts, one of them off.
  @Suite struct PostgresHostTests {
    /// A port of this machine that takes connections and answers nothing, as a machine does that hangs.
    private static func silent() throws -> (socket: Int32, port: Int) {
      #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
      #else
        let stream = SOCK_STREAM
      #endif
      let listener = socket(AF_INET, stream, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, address, &size) == 0
        }
      }
      guard isBound else { throw TestServer.Failed(description: "no port could be had") }
      return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A port of this machine that responds with a text to a client's first message, and closes the connection after
    /// the client's next message.
    private static func responding(_ text: String) throws -> (socket: Int32, port: Int) {
      let (listener, port) = try silent()
      Thread.detachNewThread {
        while true {
          let client = accept(listener, nil, nil)
          if client < 0 { return }
          var bytes = [UInt8](repeating: 0, count: 1 << 10)
          if recv(client, &bytes, bytes.count, 0) > 0, !text.isEmpty {
            _ = send(client, text, text.utf8.count, 0)
            // The client's next message, or its end.
            _ = recv(client, &bytes, bytes.count, 0)
          }
          close(client)
        }
      }
      return (listener, port)
    }

    @Test func `A host that answers nothing is passed, wherever it stands in the list`() async throws {
      let server = try TestServer()
      let (listener, port) = try Self.silent()
      defer { close(listener) }
      let folder = try #require(server.url.split(separator: "=").last)
      let options = server.options()
      for hosts in ["127.0.0.1,\(folder)&port=\(port),5432", "\(folder),127.0.0.1&port=5432,\(port)"] {
        let url = "postgresql://annals@/annals?host=\(hosts)"
        // The silent host takes the whole timeout, and a busy machine can need two seconds for the other host.
        let store = try await TestServer.withGrowingTimeout { timeout in
          try await PostgresEventStore(url: "\(url)&connect_timeout=\(timeout)", options: options)
        }
        let receipt = try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s"))
        #expect(try await store.head() == receipt.position)
        store.close()
      }
      // If no host responds, the call ends with an error.
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(
          url: "postgresql://annals@/annals?host=127.0.0.1,127.0.0.1&port=\(port),\(port)",
          options: server.options { $0.patience = .milliseconds(500) })
      }
      #expect(error?.code == .unreachable)
    }

    @Test func `A server without TLS is refused immediately if the URL requires TLS`() async throws {
      let server = try TestServer()
      // As PostgreSQL responds to a request for TLS.
      let (listener, port) = try Self.responding("N")
      defer { close(listener) }
      let options = server.options()
      let began = ContinuousClock.now
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(
          url: "postgresql://annals@127.0.0.1:\(port)/annals?sslmode=require", options: options)
      }
      #expect(error?.code == .refused && error?.message.contains("enable TLS on the server") == true, "\(error)")
      #expect(ContinuousClock.now - began < options.patience)
    }

    @Test(arguments: [
      ("HTTP/1.1 400 Bad Request\r\n\r\n", "disable", false),
      // PostgreSQL has no SQLSTATE if it can't start a process.
      ("Ecould not fork new process for connection\n\0", "disable", true), ("", "disable", true), ("", "require", true),
    ])
    func `Opening waits only for a server that might accept a later connection`(
      response: String, sslmode: String, waits: Bool
    ) async throws {
      let (server, notes) = (try TestServer(), Notes())
      let (listener, port) = try Self.responding(response)
      defer { close(listener) }
      let options = server.options { if waits { $0.patience = .seconds(1) } }
      let url = "postgresql://annals@127.0.0.1:\(port)/annals?sslmode=\(sslmode)"
      let began = ContinuousClock.now
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(url: url, options: options, environment: StoreEnvironment(monitor: notes))
      }
      let time = ContinuousClock.now - began
      #expect(error?.code == .unreachable && (waits ? time >= options.patience : time < options.patience), "\(error)")
      if !waits { #expect(notes[.connectionFailures].count == 1) }
    }

    #if os(Linux)
      @Test func `A connection ends soon without a network, unless the URL has other times`() throws {
        let (listener, port) = try Self.silent()
        defer { close(listener) }
        for (parameter, expected) in [("", [5, 5_000]), ("?keepalives_idle=77&tcp_user_timeout=500", [77, 500])] {
          let url = "postgresql://annals@127.0.0.1:\(port)/annals\(parameter)"
          let hosts = SQLHosts(url, patience: 1_000_000_000)
          let connection = SQLConnection(
            url, hosts, host: 0, began: 0, attemptEnd: .max, deadline: .max, StoreEnvironment()
          ) { _ in nil }
          let values = [TCP_KEEPIDLE, TCP_USER_TIMEOUT].map { name in
            var (value, size): (Int32, socklen_t) = (0, 4)
            getsockopt(connection.interest.socket, Int32(IPPROTO_TCP), name, &value, &size)
            return value
          }
          #expect(values == expected.map { Int32($0) })
        }
        #expect(!SQLHosts("service=books", patience: 1).keepsAlive)
      }
    #endif

    @Test func `A server that answers nothing is said to be unreachable, not to have all connections in use`()
      async throws
    {
      let server = try TestServer()
      let (listener, port) = try Self.silent()
      defer { close(listener) }
      let options = server.options { $0.patience = .milliseconds(500) }
      let url = "postgresql://annals@127.0.0.1:\(port)/annals"
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(url: url, options: options)
      }
      #expect(error?.code == .unreachable && error?.message.contains("didn't respond within") == true)
    }
  }
#endif
