#if Postgres
  import Annals
  @testable import AnnalsPostgres
  import Testing

  /// Passwords in URLs that libpq misunderstands.
  @Suite struct PostgresPasswordTests {
    @Test(arguments: [
      "postgresql://ann:Zq7/Xv9@db/x", "postgresql://ann:Zq7%zzXv9@db/x", "postgresql://ann:Zq7/annals",
      "postgresql://ann@db/x?password=Zq7&Xv9",
      "postgresql://ann@db/x?pass%77ord=Zq7%zzXv9", "postgresql://ann@db/x?sslpassword=Zq7&Xv9&user=ann",
      "host=db password=Zq7 Xv9", "password = Zq7 Xv9 host=db", "host=db password='Zq7' Xv9",
    ])
    func `An error and a report about a URL that libpq refuses don't contain the password`(url: String) async throws {
      let (server, notes) = (try TestServer(), Notes())
      let error = await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(
          url: url, options: server.options(), environment: StoreEnvironment(monitor: notes))
      }
      let message = try #require(error?.message)
      #expect(error?.code == .refused && message.contains("[password]") && message.hasSuffix("; correct the URL"))
      let report = try #require(notes.reports.first).message
      for text in [message, report] { #expect(!text.contains("Zq7") && !text.contains("Xv9"), "\(text)") }
      #expect(report.contains("libpq refused the URL") && report.contains("[password]"), "\(report)")
    }

    @Test(arguments: [
      ("postgresql://ann:Zq7@Xv9@db/x", "Xv9@db", "[password]@db"),
      ("postgresql://ann:Zq7%40%58v9@Xv9@db/x", "Xv9@db", "[password]@db"),
      ("postgres://ann:12/Xv9@db/x", "12", "[password]"),
      ("postgresql://ann:Zq7%40Xv9@db/x", "Xv9@db", "Xv9@db"), ("postgresql://ann:db?db@db/x", "db", "db"),
      ("postgresql://db:5432,b:1/x", "5432", "5432"),
      ("postgresql://[::1]:5432/x", "::1", "::1"), ("postgresql://ann:db@db:5432/db?user=a@b", "db", "db"),
      ("postgresql://db:5432/x?user=ann@corp", "ann@corp", "ann@corp"),
      ("postgresql://ann@db/x?password=a%40b&sslpassword=db", "db", "db"),
      ("host=db password='x db' dbname=db", "db", "db"), ("", "x", "x"),
    ])
    func `Only a part of the password that libpq reads as another value is redacted`(
      url: String, value: String, redacted: String
    ) {
      let secrets = SQLHosts(url, patience: 1).secrets
      let message = "could not translate host name \"VALUE\" to address: port VALUE, (VALUE)"
      #expect(
        secrets.redacted(message.replacing("VALUE", with: value)) == message.replacing("VALUE", with: redacted))
    }

    @Test func `An error of the server doesn't contain a part of the password`() async throws {
      let (server, notes) = (try TestServer(), Notes())
      // libpq reads the password "5432/Xv9" as a port and a part of the database's name.
      let url = server.url.replacing("annals@/annals?", with: "ann:5432/Xv9@db?user=annals&")
      let error = await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(
          url: url, options: server.options(), environment: StoreEnvironment(monitor: notes))
      }
      let report = try #require(notes.reports.first)
      #expect(error?.code == .refused && report.host.hasSuffix(":[password]"), "\(report)")
      for text in [error?.message ?? "", report.message] {
        #expect(text.contains("\"[password]@db\"") && !text.contains("Xv9"), "\(text)")
      }
    }

    @Test func `The names in an error about a valid URL stay, even if the password is equal`() async throws {
      let server = try TestServer()
      let url = server.url.replacing("annals@", with: "noone:noone@")
      let error = await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(url: url, options: server.options())
      }
      #expect(error?.code == .refused && error?.message.contains("\"noone\"") == true, "\(error)")
    }
  }
#endif
