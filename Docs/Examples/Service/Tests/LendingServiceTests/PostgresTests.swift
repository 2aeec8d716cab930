#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import LendingDomain
  import Testing

  @testable import LendingService

  /// Two instances of the service behind one log in PostgreSQL: `.ci/service`.
  @Suite(.enabled(if: ProcessInfo.processInfo.environment["ANNALS_POSTGRES_URL"] != nil))
  struct PostgresTests {
    private let url = ProcessInfo.processInfo.environment["ANNALS_POSTGRES_URL"] ?? ""
    private let schema = "lending_\(UUID().uuidString.prefix(8).lowercased())"

    private func withInstance(_ body: (Client) async throws -> Void) async throws {
      let options = try ServiceOptions(environment: ["DATABASE_URL": url, "ANNALS_POSTGRES_SCHEMA": schema])
      let (log, close) = try await options.open()
      do { try await withService(log, body) } catch {
        await close()
        throw error
      }
      await close()
    }

    @Test func `two instances behind one database execute a command once, and read each other's writes`() async throws {
      try await withInstance { first in
        try await withInstance { second in
          let add = LendingCommand.add(thing: "drill", title: "Drill", branch: "East")
          let added = try await first.post(add, key: "1")
          #expect(added == (201, 1, nil))
          #expect(try await second.page("/things?after=1").total == 1)
          #expect(try await second.post(add, key: "1") == (200, 1, nil))
          #expect(try await second.post(add, key: "2") == (409, nil, "thingExists"))
          #expect(try await first.post(.lend(thing: "drill", member: "ann"), key: "1").status == 422)
          #expect(try await second.post(.lend(thing: "drill", member: "ann"), key: "3") == (201, 2, nil))
          #expect(try await first.post(.lend(thing: "drill", member: "bob"), key: "4") == (409, nil, "isLent"))
        }
      }
    }

    @Test func `a reader changes between two instances under load, and shows every command once`() async throws {
      try await withInstance { first in
        try await withInstance { second in
          let clients = [first, second]
          let load = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for number in 0..<8 {
                group.addTask {
                  for round in 0..<25 {
                    let thing = "\(number) \(round)"
                    let add = LendingCommand.add(thing: thing, title: thing, branch: "Branch \(round % 4)")
                    let added = try await clients[round % 2].post(add, key: thing)
                    let lend = LendingCommand.lend(thing: thing, member: thing)
                    let lent = try await clients[number % 2].post(lend, key: "lend \(thing)")
                    #expect((added.status, lent.status) == (201, 201))
                  }
                }
              }
              try await group.waitForAll()
            }
          }
          var (shown, changes) = (try await first.list(after: 0), 0)
          while shown.position < 400 {
            var reader = try await clients[changes % 2].changes(after: shown.position.rawValue)
            try shown.apply(try #require(try await reader.next()))
            changes += 1
          }
          try await load.value
          for client in clients { #expect(shown == (try await client.list(after: 400))) }
          #expect(shown.sections.map(\.rows.count) == [200])
        }
      }
    }

    @Test func `instances are not ready while another connection holds the log's lock`() async throws {
      try await withInstance { client in
        let lock = try Lock(on: schema, url)
        try await client.waitUntilReady(503)
        // Reading still works.
        #expect(try await client.page("/things").total == 0)
        lock.release()
        try await client.waitUntilReady()
        #expect(try await client.post(.add(thing: "saw", title: "Saw", branch: "East"), key: "1").status == 201)
      }
    }
  }

  /// The lock of all appends, which a client of PostgreSQL holds.
  private final class Lock {
    private let psql = Process()
    private let input = Pipe()

    init(on schema: String, _ url: String) throws {
      let output = Pipe()
      (psql.executableURL, psql.arguments) = (URL(filePath: "/usr/bin/env"), ["psql", url, "-qAt"])
      (psql.standardInput, psql.standardOutput) = (input, output)
      try psql.run()
      try input.fileHandleForWriting.write(
        contentsOf: Data(
          """
          BEGIN; LOCK TABLE \(schema).annals_log_base IN SHARE UPDATE EXCLUSIVE MODE; SELECT 'locked';

          """.utf8))
      let answer = output.fileHandleForReading.availableData
      try #require(String(decoding: answer, as: UTF8.self) == "locked\n")
    }

    /// Ends the client's input, and with it the client and its transaction.
    func release() { try? input.fileHandleForWriting.close() }
  }
#endif
