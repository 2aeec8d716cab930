#if Postgres
  import AnnalsLog
  import Annals

  /// The place of a log: a server and a schema.
  struct PostgresPlace {
    /// The connection parameters for libpq.
    let conninfo: String
    /// The options, with the schema of the URL if it contains one.
    let options: PostgresOptions
    let text: SchemaText

    /// Reads the schema from a URL.
    ///
    /// - Throws: `EventStoreError` (`.invalidAppend`) if the schema can't have its name.
    init(_ url: String, _ options: PostgresOptions) throws {
      let (conninfo, schema) = PostgresOptions.readingSchema(in: url)
      var options = options
      if let schema { options.schema = schema }
      if !PostgresOptions.isSchema(options.schema) {
        throw EventStoreError(
          .invalidAppend,
          "expected \(PostgresOptions.schemaForm), found \"\(options.schema)\". Choose another name")
      }
      self.conninfo = conninfo
      self.options = options
      text = SchemaText(options.schema)
    }

    /// Creates the connections to the server, which are opened when they are needed.
    func pool(_ environment: StoreEnvironment) throws -> SQLPool {
      do {
        return try SQLPool(
          SQLPool.Settings(
            conninfo: conninfo, size: options.connections, patience: options.patience,
            answerTimeout: options.answerTimeout, listen: SQLStatement("LISTEN \(text.channel)"),
            environment: environment))
      } catch let failure as SQLFailure { throw EventStoreError(failure, options) }
    }
  }
#endif
