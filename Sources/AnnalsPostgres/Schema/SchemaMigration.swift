#if Postgres
  import Annals

  /// The migration of a log to this program's format, as a transaction or as a script.
  struct SchemaMigration {
    let text: SchemaText
    /// The log's format before the migration.
    let format: Int
    /// The role that owns the log's tables.
    let owner: String
    /// The personal values to move, if the log's format is older than 3.
    let old: OldPersonalValues?
    /// A value for PostgreSQL's setting `lock_timeout`.
    let lockTimeout: String

    /// The SQLSTATE of a migration that found the log changed by another process.
    static let moved = "40001"

    /// The first statement, which makes the log's owner the current role until the transaction's end.
    ///
    /// Otherwise the new tables, views and functions would belong to the role that migrates, for example to a
    /// superuser. Then the owner couldn't migrate the log later.
    var asOwner: String { "SET LOCAL ROLE \(SchemaText.quoted(owner))" }

    /// The statements of the transaction, with its beginning and its end.
    ///
    /// A step alters the table `annals_log`, so it waits for a running append and blocks further appends. The steps
    /// don't lock the frontier first. Otherwise they would wait for appends that in turn wait for the frontier.
    var statements: [SQLStatement] {
      // In another isolation level, the second check could use a snapshot older than the steps' locks.
      let begin = ["BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", "SET LOCAL lock_timeout = '\(lockTimeout)'"]
      // The first check has a clear message if another process has already migrated the log. Otherwise a step would
      // fail, for example because a table is a view now.
      let steps =
        [asOwner, unchanged] + (old == nil ? [] : [text.dropOldAppend])
        + text.steps(after: format).flatMap(\.statements) + [unchanged]
      let end = ["UPDATE \(text.schema).annals_log_base SET format = \(SchemaText.format) WHERE one", "COMMIT"]
      return (begin + steps).map { SQLStatement($0) } + (old?.statements ?? []) + end.map { SQLStatement($0) }
    }

    /// The statement that ends the transaction if an append was still running, or if another process migrated the log
    /// first.
    private var unchanged: String {
      let condition = "format = \(format)" + (old.map { " AND head = \($0.head)" } ?? "")
      let contents = old.map { " with \($0.head) events" } ?? ""
      return """
        DO $$ BEGIN
          IF NOT EXISTS (SELECT 1 FROM \(text.schema).annals_log WHERE \(condition)) THEN
            RAISE EXCEPTION 'expected a log of format \(format)\(contents), because the migration was prepared for it, \
        but the log has changed; prepare the migration again' USING ERRCODE = '\(Self.moved)';
          END IF;
        END $$
        """
    }

    /// The transaction as a script for psql.
    ///
    /// - Complexity: O(n) for n personal values in the payloads of a log whose format is older than 3.
    var script: String {
      var lines = [
        """
        -- Migrates the Annals log in the schema \(text.schema.replacing("\n", with: " ")) from format \(format) to \
        format \(SchemaText.format).
        -- Run the script with psql -v ON_ERROR_STOP=1, as the role \
        \(SchemaText.quoted(owner).replacing("\n", with: " ")), as a member of this role, or as a superuser.
        """
      ]
      lines += text.steps(after: format).map { "-- Format \($0.format): \($0.summary)." }
      let settings = [
        "SET LOCAL client_encoding = 'UTF8'", "SET LOCAL standard_conforming_strings = on",
        // Otherwise the client prints a notice for every function that `DROP FUNCTION IF EXISTS` doesn't find.
        "SET LOCAL client_min_messages = warning",
      ]
      let all = statements.map(\.script)
      return (lines + ([all[0]] + settings + all.dropFirst()).map { $0 + ";" }).joined(separator: "\n") + "\n"
    }
  }

  extension SQLStatement {
    /// The statement with literals instead of parameters.
    fileprivate var script: String {
      values.isEmpty
        ? text
        : text.replacing(#/\$([1-9])/#) { match in
          // The expression matches one digit.
          let number = Int(match.1)!
          return values[number - 1].literal
        }
    }
  }

  extension SQLValue {
    /// The value as an SQL literal, for a connection with `standard_conforming_strings`.
    fileprivate var literal: String {
      func quoted(_ text: String?) -> String { text.map { "'" + $0.replacing("'", with: "''") + "'" } ?? "NULL" }
      return switch self {
      case .null: "NULL::text"
      case .bool(let value): "\(value)"
      case .text(let text): quoted(text) + "::text"
      case .int(let number): "(\(number))::bigint"
      case .texts(let texts): "ARRAY[\(texts.map(quoted).joined(separator: ", "))]::text[]"
      case .ints(let numbers): "ARRAY[\(numbers.map { "\($0)" }.joined(separator: ", "))]::bigint[]"
      }
    }
  }
#endif
