#if Postgres
  import Annals
  @testable import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import Synchronization
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
    /// A port of this machine that accepts connections.
    private final class Listener: Sendable {
      let port: Int
      private let listener: Int32
      private let response: String?
      private let isClosed = Atomic(false)

      /// Opens the port.
      ///
      /// - Parameter response: The text that the port sends after a client's first message. After the client's next
      ///   message, the port closes the connection. An empty text closes the connection after the first message. If
      ///   it's `nil`, clients receive no data, as from a machine that hangs.
      /// - Throws: `TestServer.Failed` if no port is free.
      init(response: String? = nil) throws {
        let socket = Self.makeSocket()
        var address = Self.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
          address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(socket, address, size) == 0 && listen(socket, 8) == 0 && getsockname(socket, address, &size) == 0
          }
        }
        guard isBound else { throw TestServer.Failed(description: "no port could be had") }
        listener = socket
        port = Int(UInt16(bigEndian: address.sin_port))
        self.response = response
        if let response { Thread.detachNewThread { [self] in respond(response) } }
      }

      /// Closes the port.
      func end() {
        if response == nil {
          close(listener)
          return
        }
        // The thread closes the socket. Otherwise another test could get the socket's number for its port, and the
        // thread would respond to this test's connections. A connection ends the thread's wait.
        isClosed.store(true, ordering: .sequentiallyConsistent)
        let waker = Self.makeSocket()
        var address = Self.address(port: UInt16(port))
        _ = withUnsafePointer(to: &address) { address in
          address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            connect(waker, address, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        close(waker)
      }

      private func respond(_ text: String) {
        while true {
          let client = accept(listener, nil, nil)
          defer { close(client) }
          if client < 0 || isClosed.load(ordering: .sequentiallyConsistent) { break }
          var bytes = [UInt8](repeating: 0, count: 1 << 10)
          if recv(client, &bytes, bytes.count, 0) > 0, !text.isEmpty {
            _ = send(client, text, text.utf8.count, 0)
            // The client's next message, or its end.
            _ = recv(client, &bytes, bytes.count, 0)
          }
        }
        close(listener)
      }

      private static func makeSocket() -> Int32 {
        #if canImport(Glibc)
          socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
          socket(AF_INET, SOCK_STREAM, 0)
        #endif
      }

      private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
      }
    }

    @Test func `A host that answers nothing is passed, wherever it stands in the list`() async throws {
      let server = try TestServer()
      let listener = try Listener()
      defer { listener.end() }
      let folder = try #require(server.url.split(separator: "=").last)
      let options = server.options()
      for hosts in ["127.0.0.1,\(folder)&port=\(listener.port),5432", "\(folder),127.0.0.1&port=5432,\(listener.port)"]
      {
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
          url: "postgresql://annals@/annals?host=127.0.0.1,127.0.0.1&port=\(listener.port),\(listener.port)",
          options: server.options { $0.patience = .milliseconds(500) })
      }
      #expect(error?.code == .unreachable)
    }

    @Test func `A server without TLS is refused immediately if the URL requires TLS`() async throws {
      let server = try TestServer()
      // As PostgreSQL responds to a request for TLS.
      let listener = try Listener(response: "N")
      defer { listener.end() }
      let options = server.options()
      let began = ContinuousClock.now
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(
          url: "postgresql://annals@127.0.0.1:\(listener.port)/annals?sslmode=require", options: options)
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
      let listener = try Listener(response: response)
      defer { listener.end() }
      let options = server.options { if waits { $0.patience = .seconds(1) } }
      let url = "postgresql://annals@127.0.0.1:\(listener.port)/annals?sslmode=\(sslmode)"
      let began = ContinuousClock.now
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(url: url, options: options, environment: StoreEnvironment(monitor: notes))
      }
      let time = ContinuousClock.now - began
      #expect(error?.code == .unreachable && (waits ? time >= options.patience : time < options.patience), "\(error)")
      // On a full machine, a few further attempts can follow a first attempt that takes seconds.
      if !waits { #expect((1..<10).contains(notes[.connectionFailures].count)) }
    }

    #if os(Linux)
      @Test func `A connection ends soon without a network, unless the URL has other times`() throws {
        let listener = try Listener()
        defer { listener.end() }
        for (parameter, expected) in [("", [5, 5_000]), ("?keepalives_idle=77&tcp_user_timeout=500", [77, 500])] {
          let url = "postgresql://annals@127.0.0.1:\(listener.port)/annals\(parameter)"
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
      let listener = try Listener()
      defer { listener.end() }
      let options = server.options { $0.patience = .milliseconds(500) }
      let url = "postgresql://annals@127.0.0.1:\(listener.port)/annals"
      let error = await #expect(throws: EventStoreError.self) {
        _ = try await PostgresEventStore(url: url, options: options)
      }
      #expect(error?.code == .unreachable && error?.message.contains("didn't respond within") == true, "\(error)")
    }
  }
#endif
