import Annals
import AnnalsRemote
import AnnalsSQLite
import AnnalsTesting
import Foundation
import LendingDomain
import Testing

@testable import LendingService

/// The service in this process, with a log in memory, in a file, and on a server that is only in memory.
@Suite struct ServiceTests {
  enum Kind: CaseIterable {
    case memory, file, remote

    func log() throws -> ServiceLog {
      switch self {
      case .memory: .local(MemoryEventStore())
      case .file: .local(try SQLiteEventStore(path: Self.temporaryFile(), durability: .process))
      case .remote: .remote(Replica(of: MemoryRemoteStore(), in: MemoryEventStore()))
      }
    }

    static func temporaryFile() -> String {
      FileManager.default.temporaryDirectory.appending(path: "lending-\(UUID().uuidString).annals").path
    }
  }

  @Test(arguments: Kind.allCases)
  func `a command is executed once per key`(kind: Kind) async throws {
    try await withService(try kind.log()) { client in
      let add = LendingCommand.add(thing: "drill", title: "Drill", branch: "East")
      #expect(try await client.post(add, key: "1") == (201, 1, nil))
      #expect(try await client.post(add, key: "1") == (200, 1, nil))
      let other = try await client.post(.add(thing: "tent", title: "Tent", branch: "East"), key: "1")
      #expect(other == (422, nil, "the Idempotency-Key was used for another command"))
      #expect(try await client.post(add, key: "2") == (409, nil, "thingExists"))
      #expect(try await client.post(.lend(thing: "saw", member: "ann"), key: "3") == (409, nil, "unknownThing"))
      #expect(try await client.post(.lend(thing: "drill", member: "ann"), key: "3") == (201, 2, nil))
      #expect(try await client.page("/things?after=2").total == 1)
    }
  }

  @Test func `a member has at most three things, from whichever branches`() async throws {
    try await withService(.local(MemoryEventStore())) { client in
      for number in 1...4 {
        let add = LendingCommand.add(thing: "\(number)", title: "Thing \(number)", branch: "Branch \(number)")
        #expect(try await client.post(add, key: "add \(number)").status == 201)
        let lent = try await client.post(.lend(thing: "\(number)", member: "ann"), key: "lend \(number)")
        #expect(lent.error == (number == 4 ? "memberHasThree" : nil))
      }
      #expect(try await client.post(.giveBack(thing: "2", branch: "West"), key: "back").status == 201)
      #expect(try await client.post(.lend(thing: "4", member: "ann"), key: "lend 4").status == 201)
    }
  }

  @Test func `wrong requests are refused with a reason`() async throws {
    try await withService(.local(MemoryEventStore()), patience: .milliseconds(10)) { client in
      #expect(await client.status("POST", "/commands", body: "{}") == 400)
      #expect(await client.status("POST", "/commands", headers: ["idempotency-key": "1"], body: "{}") == 400)
      let invalid = try await client.post(.add(thing: "a\u{0}b", title: "A", branch: "East"), key: "NUL")
      #expect(invalid.status == 400 && invalid.error?.contains("NUL") == true)
      #expect(await client.status("GET", "/nothing") == 404)
      #expect(await client.status("GET", "/things?limit=0") == 400)
      #expect(await client.status("GET", "/things?limit=501") == 400)
      #expect(await client.status("GET", "/things?cursor=x") == 400)
      #expect(await client.status("GET", "/things?cursor=0.0.0.0") == 410)
      #expect(await client.status("GET", "/things?cursor=-1.0.0.0") == 400)
      #expect(await client.status("GET", "/changes") == 400)
      // A position that the log doesn't have yet.
      #expect(await client.status("GET", "/things?after=1") == 503)
      #expect(await client.status("GET", "/changes?after=1") == 503)
      #expect(await client.status("GET", "/health") == 200)
    }
  }

  @Test(arguments: Kind.allCases)
  func `pages show the list at the position of the first page`(kind: Kind) async throws {
    try await withService(try kind.log()) { client in
      var last = 0
      for number in 1...7 {
        let add = LendingCommand.add(thing: "\(number)", title: "T\(number)", branch: "Branch \(number % 3)")
        last = try #require(try await client.post(add, key: "\(number)").position)
      }
      let all = try await client.page("/things?after=\(last)")
      #expect(all.sections.map(\.title) == ["Branch 0", "Branch 1", "Branch 2"])
      #expect(all.sections.map { $0.rows.map(\.id) } == [["3", "6"], ["1", "4", "7"], ["2", "5"]])
      #expect(all.next == nil)

      var page = try await client.page("/things?limit=2")
      var (pages, list) = ([page], page)
      while let next = page.next {
        let lend = LendingCommand.lend(thing: "\(pages.count)", member: "\(pages.count)")
        last = try #require(try await client.post(lend, key: "lend \(pages.count)").position)
        _ = try await client.page("/things?after=\(last)")
        page = try await client.page("/things?cursor=\(next)&limit=2")
        pages.append(page)
        try list.append(page)
      }
      #expect(
        pages.map { $0.sections.map(\.title) } == [["Branch 0"], ["Branch 1"], ["Branch 1", "Branch 2"], ["Branch 2"]])
      #expect(list == all)
      #expect(try await client.page("/things").sections.last?.title == "lent")
    }
  }

  @Test(arguments: Kind.allCases)
  func `a reader of changes shows the same list as a page, and resumes where it stopped`(kind: Kind) async throws {
    try await withService(try kind.log()) { client in
      var shown = try await client.list(after: 0)
      var reader = try await client.changes(after: 0)
      var random = SystemRandomNumberGenerator()
      var last = 0
      for round in 1...200 {
        let thing = "\(Int.random(in: 1...12, using: &random))"
        let branch = ["East", "North", "West"].randomElement(using: &random) ?? ""
        let commands: [LendingCommand] = [
          .add(thing: thing, title: "T\(thing)", branch: branch), .lend(thing: thing, member: thing),
          .giveBack(thing: thing, branch: branch),
        ]
        for (number, command) in commands.shuffled(using: &random).enumerated() {
          last = max(last, try await client.post(command, key: "\(round) \(number)").position ?? 0)
        }
        if round % 50 == 0 {
          try await reader.follow(&shown, through: last)
          #expect(shown == (try await client.list(after: last, limit: 5)))
        }
        // The connection is lost, and the client reconnects.
        if round % 20 == 0 { reader = try await client.changes(after: shown.position.rawValue) }
      }
    }
  }

  @Test(arguments: [Kind.file, .remote])
  func `a reader resumes at another instance, which never had the reader's position`(kind: Kind) async throws {
    let (path, server) = (Kind.temporaryFile(), MemoryRemoteServer())
    func log() throws -> ServiceLog {
      kind == .file
        ? .local(try SQLiteEventStore(path: path, durability: .process))
        : .remote(Replica(of: MemoryRemoteStore(server), in: MemoryEventStore()))
    }
    try await withService(try log()) { first in
      for number in 1...3 {
        _ = try await first.post(.add(thing: "\(number)", title: "T", branch: "East"), key: "\(number)")
      }
      var shown = try await first.list(after: 3)
      _ = try await first.post(.lend(thing: "2", member: "ann"), key: "4")
      _ = try await first.post(.lend(thing: "3", member: "ann"), key: "5")
      try await withService(try log()) { second in
        #expect(shown.position == 3)
        var reader = try await second.changes(after: 3)
        try await reader.follow(&shown, through: 5)
        #expect(shown == (try await second.list(after: 5)))
        // The other instance's commands arrive, too.
        _ = try await first.post(.giveBack(thing: "3", branch: "West"), key: "6")
        try await reader.follow(&shown, through: 6)
        #expect(shown == (try await first.list(after: 6)))
        #expect(try await second.post(.giveBack(thing: "3", branch: "West"), key: "6").status == 200)
      }
    }
  }

  @Test func `errors that pass are 503, and a command can be retried with its key`() async throws {
    let remote = MemoryRemoteStore()
    try await withService(.remote(Replica(of: remote, in: MemoryEventStore()))) { client in
      let add = LendingCommand.add(thing: "drill", title: "Drill", branch: "East")
      remote.fail(StoreFault(.append, way: .busy, lasts: true))
      let request = ServiceRequest(
        "POST", "/commands", headers: ["idempotency-key": "1"], body: try JSONCoding.encode(add))
      let response = await client.service.respond(to: request)
      #expect(response.status == 503)
      #expect(response.headers["retry-after"] == "1")
      remote.mend()
      remote.onCalls { call, leg in
        if call == .append, leg == .request { throw EventStoreError(.corrupt, "damaged") }
      }
      #expect(try await client.post(add, key: "1") == (500, nil, "internal error"))
      try await client.waitUntilReady(503)
      remote.onCalls(nil)
      #expect(try await client.post(add, key: "1") == (201, 1, nil))
      try await client.waitUntilReady()
    }
  }

  @Test func `a command whose response was lost is executed once`() async throws {
    let remote = MemoryRemoteStore()
    try await withService(.remote(Replica(of: remote, in: MemoryEventStore()))) { client in
      let add = LendingCommand.add(thing: "drill", title: "Drill", branch: "East")
      remote.onCalls { call, leg in
        if call == .append, leg == .response { throw EventStoreError.unknownOutcome("the connection was lost") }
      }
      let lost = try await client.post(add, key: "1")
      #expect(lost.status == 503)
      remote.onCalls(nil)
      #expect(try await client.post(add, key: "1") == (200, 1, nil))
    }
  }

  @Test func `a thing is lent once, even if another instance lends it at the same time`() async throws {
    let server = MemoryRemoteServer()
    let (remote, other) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
    try await withService(.remote(Replica(of: remote, in: MemoryEventStore()))) { client in
      _ = try await client.post(.add(thing: "drill", title: "Drill", branch: "East"), key: "1")
      remote.onCalls { call, leg in
        guard call == .append, leg == .request else { return }
        remote.onCalls(nil)
        try await other.execute(.lend(thing: "drill", member: "bob"), on: .boundary(Lending.self))
      }
      let lend = LendingCommand.lend(thing: "drill", member: "ann")
      #expect(try await client.post(lend, key: "2") == (409, nil, "isLent"))
    }
  }

  @Test func `the end of the service ends its streams, and it is no longer ready`() async throws {
    try await withService(.local(MemoryEventStore())) { client in
      var reader = try await client.changes(after: 0)
      client.service.endStreams()
      #expect(try await reader.next() == nil)
      #expect(await client.status("GET", "/ready") == 503)
      #expect(await client.status("GET", "/health") == 200)
    }
  }

  @Test func `an instance is not ready while its copy has no response from the server`() async throws {
    let remote = MemoryRemoteStore()
    try await withService(.remote(Replica(of: remote, in: MemoryEventStore()))) { client in
      // Appends succeed, so only the silence of the copy is a problem.
      remote.onCalls { call, leg in
        if call == .read, leg == .request { throw EventStoreError(.busy, "the server is slow") }
      }
      try await client.waitUntilReady(503)
      let response = await client.service.respond(to: ServiceRequest("GET", "/ready"))
      guard case .json(let data) = response.body else { throw RequestProblem(status: 0, "expected JSON") }
      #expect(String(decoding: data, as: UTF8.self).contains("the copy of the log has had no response for"))
      remote.onCalls(nil)
      // The server in memory notifies the copy only of commits.
      #expect(try await client.post(.add(thing: "drill", title: "Drill", branch: "East"), key: "1").status == 201)
      try await client.waitUntilReady()
    }
  }

  @Test func `options are read from the environment`() throws {
    #expect(try ServiceOptions(environment: [:]).place == .memory)
    let file = try ServiceOptions(environment: ["LENDING_FILE": "a.annals", "PORT": "0"])
    #expect((file.place, file.port) == (.file("a.annals"), 0))
    let server = try ServiceOptions(environment: ["DATABASE_URL": "postgresql://db/lending", "LENDING_FILE": "a"])
    #expect(server.place == .postgres(url: "postgresql://db/lending"))
    #expect(throws: ServiceOptions.Problem(description: "PORT must be a number from 0 to 65535 (was x)")) {
      try ServiceOptions(environment: ["PORT": "x"])
    }
  }
}
