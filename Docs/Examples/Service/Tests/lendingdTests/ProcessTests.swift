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

/// The service as processes, over HTTP.
@Suite struct ProcessTests {
  private static let postgres = ProcessInfo.processInfo.environment["ANNALS_POSTGRES_URL"]

  private static func file() -> [String: String] {
    let path = FileManager.default.temporaryDirectory.appending(path: "lendingd-\(UUID().uuidString).annals").path
    return ["LENDING_FILE": path]
  }

  private static func schema() -> [String: String] {
    ["DATABASE_URL": postgres ?? "", "ANNALS_POSTGRES_SCHEMA": "lendingd_\(UUID().uuidString.prefix(8).lowercased())"]
  }

  @Test func `requests and streams are served over HTTP, and end with SIGTERM`() async throws {
    let instance = try await Instance(Self.file())
    let add = #"{"add":{"thing":"drill","title":"Drill","branch":"East"}}"#
    #expect(try await send("POST", "/commands", to: instance.port, key: "1", body: add).status == 201)
    #expect(try await send("POST", "/commands", to: instance.port, key: "1", body: add).status == 200)
    #expect(try await send("POST", "/commands", to: instance.port, body: add).status == 400)
    let large = String(repeating: " ", count: 100_000)
    #expect(try await send("POST", "/commands", to: instance.port, key: "2", body: large).status == 413)
    #expect(try await send("GET", "/things?after=1", to: instance.port).text.contains(#""title":"Drill""#))
    while try await send("GET", "/ready", to: instance.port).status != 200 {
      try await Task.sleep(for: .milliseconds(5))
    }

    let stream = try EventStream(after: 0, at: instance.port)
    var received = ""
    var parts = stream.text.makeAsyncIterator()
    while !received.contains("id: 1\n") { received += try #require(await parts.next()) }
    #expect(await instance.end(SIGTERM) == 0)
    while let part = await parts.next() { received += part }
    #expect(received.contains(#""rows":[{"row":{"branch":"East","id":"drill","title":"Drill"},"to":[0,0]}]"#))
  }

  @Test func `a wrong option ends the process with a sentence`() async throws {
    let ended = await #expect(throws: Ended.self) { try await Instance(["LENDING_FILE": "/nowhere/log.annals"]) }
    #expect(ended?.text.contains("/nowhere/log.annals") == true)
  }

  @Test func `killed and restarted under load, an instance with a file loses no command and executes none twice`()
    async throws
  {
    try await survive(instances: 1, Self.file())
  }

  @Test(.enabled(if: postgres != nil))
  func `killed and restarted under load, two instances with one database lose no command and execute none twice`()
    async throws
  {
    try await survive(instances: 2, Self.schema())
  }

  /// Sends commands from eight clients, which retry with the same key, while instances are killed and restarted.
  private func survive(instances count: Int, _ environment: [String: String]) async throws {
    var instances: [Instance] = []
    for _ in 0..<count { instances.append(try await Instance(environment)) }
    let load = Load(at: instances.map(\.port))
    let clients = Task {
      defer { load.end() }
      await withTaskGroup(of: Void.self) { group in
        for client in 1...8 { group.addTask { for round in 1...20 { await load.lend("\(client)-\(round)") } } }
      }
    }
    var restarts = 0
    for await number in load.counts where number.isMultiple(of: 60) {
      let index = restarts % count
      await instances[index].end(restarts.isMultiple(of: 3) ? SIGTERM : SIGKILL)
      instances[index] = try await Instance(environment)
      load.move(to: instances.map(\.port))
      restarts += 1
    }
    await clients.value

    #expect(restarts == 8)
    let done = load.acknowledged
    // Each command adds one event. So no position is missing if none was lost, and none is left over if none was
    // executed twice.
    #expect(done.values.map(\.position).sorted() == Array(1...480))
    for (key, command) in done {
      let response = try await send("POST", "/commands", to: instances[0].port, key: key, body: command.body)
      #expect((response.status, response.body["position"]) == (200, command.position))
    }
    for instance in instances {
      let page = try await send("GET", "/things?after=480&limit=1", to: instance.port)
      #expect(page.text.contains(#""position":480,"#) && page.text.contains(#""total":160"#), "\(page.text)")
      #expect(await instance.end(SIGTERM) == 0)
    }
  }
}

/// Clients that send each command until it is acknowledged.
private final class Load: Sendable {
  /// The number of acknowledged commands, whenever it grows.
  let counts: AsyncStream<Int>
  private let count: AsyncStream<Int>.Continuation
  private let ports: Mutex<[Int]>
  private let done = Mutex<[String: (body: String, position: Int)]>([:])

  init(at ports: [Int]) {
    self.ports = Mutex(ports)
    (counts, count) = AsyncStream.makeStream()
  }

  var acknowledged: [String: (body: String, position: Int)] { done.withLock { $0 } }
  func move(to ports: [Int]) { self.ports.withLock { $0 = ports } }
  func end() { count.finish() }

  /// Adds a thing, lends it, and takes it back.
  func lend(_ thing: String) async {
    await execute(#"{"add":{"thing":"\#(thing)","title":"Thing","branch":"East"}}"#, key: "add \(thing)")
    await execute(#"{"lend":{"thing":"\#(thing)","member":"\#(thing)"}}"#, key: "lend \(thing)")
    await execute(#"{"giveBack":{"thing":"\#(thing)","branch":"West"}}"#, key: "back \(thing)")
  }

  private func execute(_ body: String, key: String) async {
    while true {
      let port = ports.withLock { $0.randomElement() ?? 0 }
      let response = try? await send("POST", "/commands", to: port, key: key, body: body)
      if let response, [200, 201].contains(response.status), let position = response.body["position"] {
        count.yield(
          done.withLock { done in
            done[key] = (body, position)
            return done.count
          })
        return
      }
      if let response, response.status != 503 { Issue.record("\(response.status) \(response.text)") }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }
}
