#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import Testing

  /// The privileges in `Docs/PostgreSQL.md`, with roles that have exactly these privileges.
  @Suite struct PostgresPrivilegeTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// What a role does on a log, in the order and with the names of a diagnosis.
    private enum Activity: String, CaseIterable {
      case read, append
      case follow = "run followers"
      case erase, compact

      /// The numbers of the page's statements that a role needs.
      var blocks: [Int] {
        switch self {
        case .read: [0]
        case .append: [1]
        case .erase: [1, 2]
        case .compact: [1, 3]
        case .follow: [0, 4]
        }
      }

      /// The activities that the privileges allow.
      var allowed: [Activity] {
        switch self {
        case .read: [.read]
        case .append: [.read, .append]
        case .erase: [.read, .append, .erase]
        case .compact: [.read, .append, .compact]
        case .follow: [.read, .follow]
        }
      }
    }

    /// Returns the page's SQL statements in the section about privileges, by their code blocks.
    private static func blocks() throws -> [String] {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let page = try String(contentsOf: root.appending(path: "Docs/PostgreSQL.md"), encoding: .utf8)
      let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Privileges\n") })
      return section.matches(of: #/(?m)^```sql\n((?:.*\n)*?)```$/#).map { String($0.1) }
    }

    private static func grants(_ block: String, _ schema: String, _ role: String, owner: String = "") -> String {
      block.replacing("SCHEMA annals", with: "SCHEMA \(schema)").replacing(" annals.", with: " \(schema).")
        .replacing("ROLE owner", with: "ROLE \(owner)").replacing(" app;", with: " \(role);")
    }

    private static func event(_ subject: String) -> NewEvent {
      NewEvent(
        type: "PostgresLineWritten", payload: #"{"word":"a","by":{"$personal":"\#(subject)","value":"x"}}"#, tags: ["t"]
      )
    }

    private func perform(_ activity: Activity, _ store: PostgresEventStore) async throws {
      switch activity {
      case .read:
        _ = try await store.events(.tagged("t"), after: 0, limit: 9)
        _ = try await store.statistics()
        _ = try await store.receipt(ofCommand: "c")
        _ = try await store.erasing?.erasures(after: 0, limit: 9)
        _ = try await store.compacting?.compactions(after: 0, limit: 9)
      case .append:
        let id = UUID().uuidString
        let entries = ["s", "Hall-1"].map { Append.Entry(stream: StreamName($0), event: Self.event("ann")) }
        let conditions = [Append.Condition(noneMatching: .category("Nobody"), after: 0)]
        try await store.append(Append(entries, conditions: conditions, commandID: id))
        _ = try await store.health(within: .seconds(600))
      case .follow:
        let follower = try LineNotes().follower(of: store, partitions: 2)
        _ = try await follower.catchUp()
        _ = try await follower.quarantine
        try await store.forgetFollower("lines", version: 1)
      case .erase: try await store.erase(subject: "ann")
      case .compact: try await PostgresFrontierTests.compact(store, cut: [store.head()])
      }
    }

    @Test(arguments: [false, true])
    func `Roles with the documented privileges can do their activities, and no other activities`(isRevoked: Bool)
      async throws
    {
      let options = server.options()
      let (schema, owner) = (options.schema, "owner_\(options.schema)")
      try await server.sql("CREATE ROLE \(owner) LOGIN; CREATE SCHEMA \(schema) AUTHORIZATION \(owner)")
      if isRevoked {
        try await server.sql("ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
      }
      func url(_ role: String) -> String { server.url.replacing("annals@", with: "\(role)@") }
      let first = try await PostgresEventStore(url: url(owner), options: options)
      try await perform(.append, first)
      let blocks = try Self.blocks()
      #expect(blocks.count == 6)
      for activity in Activity.allCases {
        let role = "\(activity)_\(schema)"
        try await server.sql("CREATE ROLE \(role) LOGIN")
        for number in activity.blocks { try await server.sql(Self.grants(blocks[number], schema, role)) }
        let store = try await PostgresEventStore(url: url(role), options: options)
        for other in Activity.allCases {
          // Every erasure and compaction has a value and an event.
          try await perform(.append, first)
          var code: EventStoreError.Code?
          do { try await perform(other, store) } catch let error as EventStoreError { code = error.code }
          #expect(code == (activity.allowed.contains(other) ? nil : .refused), "\(activity): \(other)")
        }
        store.close()
        // The diagnosis finds the same activities.
        let findings = try await PostgresMaintenance(url: url(role), options: options).findings()
        let finding = try #require(findings.first { $0.check == "privileges" })
        let can = Activity.allCases.filter { activity.allowed.contains($0) }.map(\.rawValue).joined(separator: ", ")
        #expect(finding.state == .healthy && finding.message.contains(" can \(can), but can't "), "\(finding)")
        if isRevoked, activity == .append {
          // Without the functions, an append fails, and the diagnosis has the statement that helps.
          try await server.sql("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA \(schema) FROM \(role)")
          let store = try await PostgresEventStore(url: url(role), options: options)
          let error = await #expect(throws: EventStoreError.self) { try await perform(.append, store) }
          #expect(error?.code == .refused)
          let findings = try await PostgresMaintenance(url: url(role), options: options).findings()
          let state = findings.first { $0.check == "privileges" }?.state
          let grant = "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \"\(schema)\" TO \(role)"
          #expect(state == .problem(remedy: "To append, run \(grant)"), "\(String(describing: state))")
        }
      }
    }

    @Test func `With the documented default privileges, a role appends after a migration without new grants`()
      async throws
    {
      let options = server.options { $0.setup = .migrate }
      let (schema, role) = (options.schema, "app_\(options.schema)")
      try await server.sql(FormatTwo.sql(schema))
      let blocks = try Self.blocks()
      try await server.sql("CREATE ROLE \(role) LOGIN; \(Self.grants(blocks[5], schema, role, owner: "annals"))")
      try await server.sql(
        "GRANT USAGE ON SCHEMA \(schema) TO \(role); "
          + "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role); "
          + "GRANT UPDATE ON \(schema).annals_log TO \(role)")
      _ = try await PostgresEventStore(url: server.url, options: options)
      let store = try await PostgresEventStore(url: server.url.replacing("annals@", with: "\(role)@"), options: options)
      try await perform(.append, store)
      #expect(try await store.head() == 7)
    }
  }
#endif
