import Annals
import AnnalsSQLite
import FestivalDomain
import Foundation
import Testing

@testable import FestivalApp

@Suite struct OutboxTests {
  @Test func `each move is mailed once, even after a restart, beginning with the first opening`() async throws {
    let folder = try Folder()
    let (festival, ann) = try await Festival.sample(SQLiteEventStore(path: folder.log))
    try await ann.execute(.move(1, to: place(1, 10)))
    let outbox = try Outbox(of: festival, file: folder.mails)
    try await ann.execute(.move(1, to: place(2, 7)))
    try await outbox.deliver()
    #expect(try folder.mailTexts() == ["Äolus moves to Tent, 2026-08-07T19:00:00Z"])
    try await ann.execute(.move(2, to: place(nil, 7)))
    let restarted = try Outbox(of: Festival(path: folder.log), file: folder.mails)
    try await restarted.deliver()
    try await outbox.deliver()
    #expect(try folder.mailTexts().dropFirst() == ["Zebra moves to no stage yet, 2026-08-07T19:00:00Z"])
  }

  @Test func `a second outbox is refused while the first one writes`() async throws {
    let folder = try Folder()
    let (festival, ann) = try await Festival.sample(SQLiteEventStore(path: folder.log))
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    // This follower has the outbox's name, and takes as long for its first mail as the test wants.
    let first = try EventFollower("outbox", of: ProgrammeEvent.self, in: festival.store, startingAt: .end) { _, _ in
      start.yield()
      for await _ in ends { break }
    }
    try await ann.execute(.move(1, to: place(1, 10)))
    let writing = Task { try await first.catchUp() }
    for await _ in starts { break }

    // Two stores on one file share no memory, like two processes. This store's waits end immediately.
    let store = try SQLiteEventStore(path: folder.log, environment: StoreEnvironment(sleep: { _ in }))
    let second = try Outbox(of: Festival(store: store), file: folder.mails)
    let error = await #expect(throws: EventStoreError.self) { try await second.deliver() }
    #expect(error?.code == .followerBusy)
    end.yield()
    _ = try await writing.value
    try await second.deliver()
    #expect(try folder.mailTexts() == [], "the first outbox has handled the move")
  }

  @Test func `processes write each mail once, although one is killed`() async throws {
    let folder = try Folder()
    let (festival, ann) = try await Festival.sample(SQLiteEventStore(path: folder.log))
    let outbox = try Outbox(of: festival, file: folder.mails)
    let processes = try (0..<2).map { _ in try Program.start([folder.log, "bot", "outbox", folder.mails.path]) }
    defer { for process in processes { process.terminate() } }
    for hour in 10..<40 {
      try await ann.execute(.move(1, to: place(1, Double(hour))))
      if hour == 20 {
        // After the first mails, this process is killed at any place of its code.
        while try folder.mailTexts().isEmpty {
          try #require(processes.contains { $0.isRunning })
          try await Task.sleep(for: .milliseconds(1))
        }
        kill(processes[0].processIdentifier, SIGKILL)
      }
    }
    // This waits for the other process, and writes the mails that it hasn't written.
    try await outbox.deliver()
    #expect(
      try folder.mailTexts()
        == (10..<40).map { "Äolus moves to Meadow, \(place(1, Double($0)).start.formatted(.iso8601))" })
  }

  @Test func `a mail that is repeated after a crash is written once`() throws {
    let folder = try Folder()
    let mails = MailFile(url: folder.mails)
    for number in [1, 2, 2] { try mails.add("mail \(number)", key: EventID(source: "test", id: "\(number)")) }
    #expect(try String(contentsOf: mails.url, encoding: .utf8) == "mail 1\ttest/1\nmail 2\ttest/2\n")
  }
}

/// The program's executable, next to the tests.
enum Program {
  /// Starts the program with arguments.
  static func start(_ words: [String]) throws -> Process {
    let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
    let files = places.map { URL(filePath: $0).deletingLastPathComponent().appending(path: "festival") }
    let file = files.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    return try Process.run(try #require(file), arguments: words)
  }
}
