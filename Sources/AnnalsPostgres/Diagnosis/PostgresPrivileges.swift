#if Postgres
  /// The privileges that a role needs for its activities, as in `Docs/PostgreSQL.md`.
  struct PostgresPrivileges {
    /// An activity of a role on a log.
    struct Activity {
      /// The activity, for people.
      let name: String
      /// The privileges on tables, by the tables' names without the prefix `annals_`.
      ///
      /// The name `*` stands for all tables.
      let tables: KeyValuePairs<String, [String]>
      /// A table and a privilege that a role has only for this activity, separated by a space.
      ///
      /// If a role has this privilege, but not all others, a grant is missing.
      let mark: String
      /// True if the activity needs `EXECUTE` on the functions.
      var usesFunctions = true
    }

    /// The tables and views of the current format.
    private static let all = [
      "command", "compaction", "erasure", "event", "follower", "former", "log", "log_base", "partition", "personal",
      "quarantine", "rewriting", "stream", "stream_base", "tag", "worker",
    ]

    /// The activity of a role that only reads.
    static let reading = Activity(name: "read", tables: ["*": ["SELECT"]], mark: "event SELECT", usesFunctions: false)

    /// The activities, with the privileges that reading doesn't need.
    static let activities = [
      reading,
      Activity(
        name: "append",
        tables: [
          "command": ["INSERT"], "event": ["INSERT"], "personal": ["INSERT"], "stream_base": ["INSERT"],
          "tag": ["INSERT"], "log_base": ["UPDATE"],
        ], mark: "event INSERT"),
      Activity(
        name: "run followers",
        tables: [
          "follower": ["INSERT", "UPDATE", "DELETE"], "partition": ["INSERT", "UPDATE", "DELETE"],
          "worker": ["INSERT", "UPDATE", "DELETE"], "quarantine": ["INSERT", "UPDATE", "DELETE"],
        ], mark: "partition UPDATE"),
      Activity(
        name: "erase",
        tables: [
          "log_base": ["UPDATE"], "erasure": ["INSERT"], "personal": ["UPDATE"], "rewriting": ["UPDATE"],
          "command": ["UPDATE"],
        ], mark: "personal UPDATE"),
      Activity(
        name: "compact",
        tables: [
          "log_base": ["UPDATE"], "compaction": ["INSERT"], "former": ["INSERT"], "rewriting": ["UPDATE"],
          "stream_base": ["UPDATE"], "event": ["UPDATE", "DELETE"], "tag": ["INSERT", "DELETE"],
          "personal": ["INSERT", "DELETE"],
        ], mark: "event DELETE"),
    ]

    private static func tables(of name: String) -> [String] { name == "*" ? all : [name] }

    /// A query that returns a row per privilege, with a column that is true if the current role has the privilege.
    ///
    /// A table's row has the table and the privilege. The row of the schema has no table. A function's row has the
    /// privilege `EXECUTE`.
    static func query(_ text: SchemaText) -> SQLStatement {
      var (names, privileges): ([String], [String]) = ([], [])
      for activity in activities {
        for (name, wanted) in activity.tables {
          for table in tables(of: name) {
            for privilege in wanted {
              names.append(table)
              privileges.append(privilege)
            }
          }
        }
      }
      // A role without `USAGE` can't look up a table by its name, so the query reads the catalog.
      return SQLStatement(
        """
        SELECT w.name, w.privilege, coalesce(has_table_privilege(c.oid, w.privilege), false)::int
          FROM unnest($1, $2) w (name, privilege)
          LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $3
          LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = 'annals_' || w.name
        UNION ALL
        SELECT '', 'USAGE', has_schema_privilege(n.oid, 'USAGE')::int FROM pg_catalog.pg_namespace n WHERE nspname = $3
        UNION ALL
        SELECT '', 'EXECUTE', bool_and(has_function_privilege(p.oid, 'EXECUTE'))::int
          FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $3
        """, [.texts(names), .texts(privileges), .text(text.name)])
    }

    /// The privileges that the role has: a table's name and a privilege, separated by a space.
    private var granted: Set<String> = []

    init(_ rows: SQLRows) {
      for row in 0..<rows.count where rows.int(row, 2) == 1 {
        granted.insert("\(rows.text(row, 0) ?? "") \(rows.text(row, 1) ?? "")")
      }
    }

    /// The activities that the role can do.
    var allowed: [String] { Self.activities.filter { missing(for: $0).isEmpty }.map(\.name) }

    /// The activities that the role can't do.
    var denied: [Activity] { Self.activities.filter { !missing(for: $0).isEmpty } }

    /// True if the role has some of the privileges for an activity, but not all of them.
    func isPartial(_ activity: Activity) -> Bool { granted.contains(activity.mark) && !missing(for: activity).isEmpty }

    /// Returns the statements that grant the missing privileges of an activity.
    ///
    /// - Parameters:
    ///   - activity: The activity.
    ///   - schema: The schema's quoted name.
    ///   - role: The role's quoted name.
    /// - Returns: A statement per kind of privilege.
    func grants(for activity: Activity, _ schema: String, to role: String) -> [String] {
      let missing = missing(for: activity).map { $0.split(separator: " ", omittingEmptySubsequences: false) }
      return ["USAGE", "EXECUTE", "SELECT", "INSERT", "UPDATE", "DELETE"].compactMap { privilege in
        let tables = missing.filter { $0[1] == privilege }.map { "\(schema).annals_\($0[0])" }
        if tables.isEmpty { return nil }
        let place =
          switch privilege {
          case "USAGE": "SCHEMA \(schema)"
          case "EXECUTE": "ALL FUNCTIONS IN SCHEMA \(schema)"
          case "SELECT": "ALL TABLES IN SCHEMA \(schema)"
          default: tables.joined(separator: ", ")
          }
        return "GRANT \(privilege) ON \(place) TO \(role)"
      }
    }

    /// Returns the missing privileges of an activity: a table's name and a privilege, separated by a space.
    private func missing(for activity: Activity) -> [String] {
      let needsReading = activity.name != Self.reading.name
      var needed = needsReading ? missing(for: Self.reading) : [" USAGE"]
      if activity.usesFunctions { needed.append(" EXECUTE") }
      for (name, privileges) in activity.tables {
        for table in Self.tables(of: name) { needed += privileges.map { "\(table) \($0)" } }
      }
      return needed.filter { !granted.contains($0) }
    }
  }
#endif
