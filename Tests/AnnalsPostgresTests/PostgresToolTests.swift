#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation
  import Testing

  /// The tool itself, as a process, on a log that a URL names.
  @Suite struct PostgresToolTests {
    private let server: TestServer
    private let url: String
    private let schema: String
    private let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")

    init() throws {
      server = try TestServer()
      schema = server.options().schema
      url = "\(server.url)&annals_schema=\(schema)"
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private struct Answer: CustomStringConvertible {
      let status: Int32
      let output: String
      let talk: String
      var description: String { "status \(status), output \(output.prefix(500)), talk \(talk)" }
    }

    private func run(_ words: String...) async throws -> Answer {
      let child = try Child(words, of: "annals-tool")
      return Answer(status: await child.finish(), output: child.text, talk: child.complaints)
    }

    private func file(_ name: String, _ text: String) throws -> String {
      let file = folder.appending(path: name)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return file.path
    }

    /// Lines of events of several streams, with transactions, tags and values of persons.
    private static func lines(_ count: Int) -> String {
      (0..<count).map { number in
        let data =
          number % 5 == 0
          ? #"{"who":{"$personal":"p\#(number % 3)","value":"secret"},"n":\#(number)}"#
          : "{ \"n\" :\(number), \"x\":1.50}"
        return #"{"specversion":"1.0","id":"e\#(number)","source":"urn:old","type":"Thing\#(number % 3)","#
          + #""subject":"s\#(number % 7)","time":"2024-05-06T07:08:09.\#(100_000 + number % 900_000)Z","#
          + (number % 4 < 3 ? #""transaction":"t\#(number / 4)","# : "") + "\"data\":\(data)}\n"
      }.joined()
    }

    @Test func `What is imported into a server is exported again as it was, and is imported once`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let local = folder.appending(path: "local.annals").path
      let lines = try file("lines.jsonl", Self.lines(3_000))
      #expect(try await run("import", local, lines).status == 0)
      let expected = try await run("log", "--json", local).output
      #expect(expected.count > 100_000)
      let first = try await run("import", url, lines)
      #expect(first.status == 0 && first.talk.contains("3000 events imported in"), "\(first)")
      #expect(try await run("log", "--json", url).output == expected)
      let again = try await run("import", url, lines, "--json")
      #expect(again.output.contains(#""events":0,"transactions":0,"skipped":3000"#), "\(again)")
      // Redaction is the same too.
      let redaction = "personal,x"
      #expect(
        try await run("log", "--json", url, "--redact", redaction).output
          == run("log", "--json", local, "--redact", redaction).output)
      // What a file and a server both know is equal; a file knows more.
      func counts(_ name: String) async throws -> [String: NSObject] {
        let output = try await run("info", name, "--json").output
        var found = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: NSObject] ?? [:]
        for name in ["format", "fileBytes", "commitBytes", "commands"] { found[name] = nil }
        return found
      }
      #expect(try await counts(url) == counts(local))
      #expect(try await run("info", url).output.contains("a log on a server, read up to position 3000"))
      let verified = try await run("verify", url)
      #expect(
        verified.status == 0 && verified.talk.contains("3000 events checked, all is as it must be"), "\(verified)")
    }

    @Test func `An import that is killed is run again, and every event is there once`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let lines = try file("lines.jsonl", Self.lines(12_000))
      var wasCut = 0
      for moment in [30, 60, 120, 250, 500] {
        let child = try Child(["import", url, lines], of: "annals-tool")
        try await Task.sleep(for: .milliseconds(moment))
        child.kill()
        if await child.finish() == 9 { wasCut += 1 }
      }
      #expect(wasCut > 0)
      let last = try await run("import", url, lines)
      #expect(last.status == 0, "\(last)")
      let local = folder.appending(path: "local.annals").path
      #expect(try await run("import", local, lines).status == 0)
      #expect(try await run("log", "--json", url).output == run("log", "--json", local).output)
      #expect(try await run("verify", url).status == 0)
    }

    @Test func `An import whose connections are killed has every event once`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      try await TestServer.own { server, _ in
        let url = "\(server.url)&annals_schema=cut"
        let lines = try file("lines.jsonl", Self.lines(12_000))
        let killer = Task {
          while !Task.isCancelled {
            _ = try await server.patiently(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Annals'")
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
          }
        }
        let answer = try await run("import", url, lines, "--json")
        killer.cancel()
        _ = await killer.result
        #expect(answer.status == 0, "\(answer)")
        let local = folder.appending(path: "local.annals").path
        #expect(try await run("import", local, lines).status == 0)
        #expect(
          try await run("log", "--json", url).output.split(separator: "\n").count
            == run("log", "--json", local).output.split(separator: "\n").count)
        #expect(try await run("verify", url).status == 0)
      }
    }

    @Test func `A bad line is named with its file, and what was before it is in the server`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let good = Self.lines(8).split(separator: "\n").map(String.init)
      let bad = try file("bad.jsonl", (good + ["{\"specversion\":\"1.0\",\"id\":7}"]).joined(separator: "\n"))
      let answer = try await run("import", url, bad)
      #expect(answer.status == 3 && answer.talk.contains("bad.jsonl, line 9: "), "\(answer)")
      #expect(answer.talk.contains("8 events were imported, but not the transaction of line 9"))
      #expect(try await run("log", "--json", url).output.split(separator: "\n").count == 8)
      // A record that is there cannot be inserted again.
      let record = { (id: String) in
        #"{"specversion":"1.0","id":"\#(id)","source":"urn:r","type":"RecordInserted","subject":"book","#
          + #""data":{"collection":"book","id":"b1","fields":{}}}"# + "\n"
      }
      #expect(try await run("import", url, file("one.jsonl", record("r1"))).status == 0)
      let twice = try await run("import", url, file("two.jsonl", record("r2")))
      #expect(twice.status == 3 && twice.talk.contains("two.jsonl, line 1: "), "\(twice)")
    }

    @Test func `What is damaged in the server is found, event by event`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(try await run("import", url, file("lines.jsonl", Self.lines(100))).status == 0)
      for (damage, message) in [
        ("UPDATE \(schema).annals_event SET version = 90 WHERE position = 50", "expected version"),
        ("UPDATE \(schema).annals_event SET transaction = 90 WHERE position = 50", "expected transaction"),
        ("UPDATE \(schema).annals_event SET body = '{' WHERE position = 50", "is no JSON"),
        ("DELETE FROM \(schema).annals_personal WHERE position = 51", "a personal field is missing"),
        ("DELETE FROM \(schema).annals_stream_base WHERE stream = 's1'", "expected version 15 of stream"),
        ("DELETE FROM \(schema).annals_event WHERE position = 50", "expected position 50, found 51"),
      ] {
        let copy = "\(schema)_copy"
        try await server.sql("DROP SCHEMA IF EXISTS \(copy) CASCADE")
        // The damage is taken back by a copy of the tables.
        try await server.sql("CREATE SCHEMA \(copy)")
        for table in ["event", "personal", "stream_base"] {
          try await server.sql("CREATE TABLE \(copy).\(table) AS SELECT * FROM \(schema).annals_\(table)")
        }
        try await server.sql(damage)
        let answer = try await run("verify", url)
        #expect(answer.status == 1 && answer.output.contains(message), "\(message): \(answer)")
        #expect(answer.talk.contains("restore the server's log from a backup"))
        for table in ["event", "personal", "stream_base"] {
          try await server.sql(
            "DELETE FROM \(schema).annals_\(table); INSERT INTO \(schema).annals_\(table) SELECT * FROM "
              + "\(copy).\(table)"
          )
        }
      }
      #expect(try await run("verify", url).status == 0)
    }

    @Test func `An erasure is in what is exported and counted`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(try await run("import", url, file("lines.jsonl", Self.lines(100))).status == 0)
      let store = try await PostgresEventStore(url: server.url, options: PostgresOptions(schema: schema))
      let before = try await run("info", url).output
      #expect(before.contains("personal    20 values of 3 subjects\n") && !before.contains("erasures"), "\(before)")
      for number in 0..<3 { try await store.erase(subject: "p\(number)") }
      #expect(try await !run("log", "--json", url).output.contains("secret"))
      let erased = try await run("info", url).output
      #expect(erased.contains("personal    0 values of 0 subjects\n") && erased.contains("erasures    3\n"))
      #expect(try await run("verify", url).status == 0)
    }

    @Test func `A subject is erased from a server by its URL, as from a file, and its replica follows`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (lines, copy) = (try file("lines.jsonl", Self.lines(100)), folder.appending(path: "copy.annals").path)
      #expect(try await run("import", url, lines).status == 0)
      #expect(try await run("import", copy, url).status == 0)
      let before = try await run("log", "--json", url).output
      let dry = try await run("erase", url, "p0", "--dry-run")
      #expect(
        dry.status == 0 && dry.talk.contains("7 values of p0 would be erased; nothing was changed"), "\(dry)")
      #expect(try await run("erase", url, "p0", "--dry-run", "--json").output == "{\"fields\":7,\"dryRun\":true}\n")
      let unasked = try await run("erase", url, "p0")
      #expect(unasked.status == 2 && unasked.talk.contains("give --yes"), "\(unasked)")
      #expect(try await run("log", "--json", url).output == before)

      let answer = try await run("erase", url, "p0", "--yes")
      #expect(answer.status == 0 && answer.output == "", "\(answer)")
      #expect(answer.talk.contains("7 values of p0 erased\n") && answer.talk.contains("VACUUM FULL"), "\(answer)")
      let after = try await run("log", "--json", url).output
      #expect(after != before && after.contains("secret") && after.contains(#"{"$personal":"p0"}"#))
      #expect(try await run("import", copy, url).status == 0)
      #expect(try await run("log", "--json", copy).output == after)

      let again = try await run("erase", url, "p0", "--yes", "--json")
      #expect(again.status == 0 && again.output == "{\"fields\":0,\"complete\":true}\n", "\(again)")
      #expect(try await run("erase", url, "p0", "--yes").talk.contains("all were erased before"))
      let last = try await run("erase", url, "p1", "--yes", "--json")
      #expect(last.status == 0 && last.output == "{\"fields\":6,\"complete\":false}\n", "\(last)")
      let unknown = try await run("erase", url, "P1", "--yes")
      #expect(unknown.status == 1 && unknown.talk.contains("no personal values of \"P1\""), "\(unknown)")
      #expect(try await run("log", "--json", url).output.contains("secret"))
    }

    @Test func `A log of records is compacted in a server by its URL, as in a file, and its replica follows`()
      async throws
    {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (first, copy, new) = (
        folder.appending(path: "first.annals").path, folder.appending(path: "copy.annals").path,
        folder.appending(path: "new.annals").path
      )
      // A file with the same records says what is to be expected.
      for (key, title) in [("a", "One"), ("b", "Two"), ("c", "Three")] {
        #expect(try await run("do", first, "insert", key, "title=\(title)", "--list", "book").status == 0)
      }
      for number in 0..<6 {
        #expect(try await run("do", first, "update", "a", "title=New \(number)").status == 0)
      }
      #expect(try await run("do", first, "delete", "b").status == 0)
      let lines = folder.appending(path: "lines.jsonl").path
      try Data(try await run("log", "--json", first).output.utf8).write(to: URL(filePath: lines))
      #expect(try await run("import", url, lines).status == 0)
      #expect(try await run("import", copy, url).status == 0)
      let shown = try await run("show", copy).output

      let dry = try await run("compact", url, "--dry-run")
      #expect(dry.status == 0 && dry.talk.contains("8 events would be cut") && dry.talk.contains("nothing"), "\(dry)")
      let unasked = try await run("compact", url)
      #expect(unasked.status == 2 && unasked.talk.contains("give --yes"), "\(unasked)")
      #expect(try await run("log", "--json", url).output == (try await run("log", "--json", first).output))
      let done = try await run("compact", url, "--yes", "--json")
      #expect(
        done.status == 0
          && done.output
            == "{\"horizon\":10,\"cut\":8,\"replaced\":1,\"events\":2,\"bytesBefore\":null,\"bytesAfter\":null,"
            + "\"complete\":true}\n",
        "\(done)")
      let after = try await run("log", "--json", url).output
      #expect(after.split(separator: "\n").count < 4)
      for path in [copy, new] {
        #expect(try await run("import", path, url).status == 0)
        #expect(try await run("log", "--json", path).output == after)
        #expect(try await run("show", path).output == shown)
        #expect(try await run("verify", path).status == 0)
      }
      let verified = try await run("verify", url)
      #expect(verified.status == 0, "\(verified)")
      #expect(try await run("compact", url, "--yes").talk.contains("nothing to cut"))
      try await server.sql("DELETE FROM \(schema).annals_event WHERE position = 1")
      #expect(try await run("verify", url).status == 1)
    }

    @Test func `A server that is not there, a wrong name and a subcommand that takes no URL say what to do`()
      async throws
    {
      defer { try? FileManager.default.removeItem(at: folder) }
      for words in [["log"], ["info"], ["verify"]] {
        let answer = try await run(words[0], "postgresql:///annals?host=/nowhere")
        #expect(answer.status == 4 && answer.talk.contains("can't be reached"), "\(answer)")
        let other = try await run(words[0], "mysql://localhost/shop")
        #expect(other.status == 2 && other.talk.contains("annals can't open mysql:// URLs"), "\(other)")
      }
      // Only an import begins a log.
      for words in [
        ["log", url, "--json"], ["info", url], ["verify", url], ["erase", url, "ann"], ["import", "x", url],
      ] {
        let child = try Child(words, of: "annals-tool")
        #expect(await child.finish() == 4 && child.complaints.contains("found none"), "\(words) \(child.complaints)")
      }
      #expect(try await server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema)'") == "0\n")
      let host = try await run("info", "postgresql://no-such-host.invalid/annals")
      #expect(host.status == 4 && host.talk.contains("check its host and port"), "\(host)")
      let erase = try await run("erase", "postgresql:///annals?host=/nowhere", "ann", "--yes")
      #expect(erase.status == 4 && erase.talk.contains("can't be reached"), "\(erase)")
      let show = try await run("show", url)
      #expect(
        show.status == 2 && show.talk.contains("only diff -f, import, log, verify, info, compact, erase, migrate and"),
        "\(show)")
    }
  }
#endif
