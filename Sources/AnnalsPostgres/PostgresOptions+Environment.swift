#if Postgres
  import Annals

  extension PostgresOptions {
    /// Creates options from environment variables.
    ///
    ///     let options = try PostgresOptions(environment: ProcessInfo.processInfo.environment)
    ///
    /// | variable | option | value |
    /// |---|---|---|
    /// | `ANNALS_POSTGRES_SCHEMA` | ``schema`` | a name of 1 to 56 bytes |
    /// | `ANNALS_POSTGRES_DURABILITY` | ``durability`` | `process`, `system` or `power` |
    /// | `ANNALS_POSTGRES_CONNECTIONS` | ``connections`` | a whole number of at least 1 |
    /// | `ANNALS_POSTGRES_PATIENCE` | ``patience`` | seconds, such as `10` or `0.5` |
    /// | `ANNALS_POSTGRES_ANSWER_TIMEOUT` | ``answerTimeout`` | seconds |
    /// | `ANNALS_POSTGRES_POLL_INTERVAL` | ``pollInterval`` | seconds |
    /// | `ANNALS_POSTGRES_NOTIFIES` | ``notifies`` | `true` or `false` |
    /// | `ANNALS_POSTGRES_SETUP` | ``setup`` | `existing`, `create` or `migrate` |
    ///
    /// An option without a variable has its default value. Variables whose names don't begin with `ANNALS_POSTGRES_`
    /// are ignored. The URL isn't an option, because you pass it to the store. libpq reads its own variables, such as
    /// `PGPASSWORD`, from the process's environment.
    ///
    /// - Parameter environment: The variables by their names.
    /// - Throws: `EventStoreError` (`.invalidAppend`) that contains the name, the value and the expected value, if a
    ///   variable has a wrong value. The code is the same for an unknown name that begins with `ANNALS_POSTGRES_`.
    public init(environment: [String: String]) throws {
      self.init()
      // In the order of their names, so that an environment with several problems always causes the same error.
      for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(Self.prefix) {
        guard let variable = Self.variables.first(where: { Self.prefix + $0.name == name }) else {
          // The value isn't in the message, because it might contain a password.
          throw EventStoreError(
            .invalidAppend,
            "\(name) isn't the name of an option; expected "
              + Self.variables.map { Self.prefix + $0.name }.joined(separator: ", ")
              + ". Correct the name, or remove the variable. The store's URL is passed to PostgresEventStore(url:)")
        }
        guard variable.set(&self, value) else {
          throw EventStoreError(
            .invalidAppend, "\(name): expected \(variable.form), found \"\(value)\"; correct the variable")
        }
      }
    }

    private static let prefix = "ANNALS_POSTGRES_"

    /// An environment variable for an option.
    private struct Variable {
      let name: String
      /// The form of its value, for error messages.
      let form: String
      /// Sets the option, or returns false if the value has another form.
      let set: (inout PostgresOptions, String) -> Bool

      init<Value>(
        _ name: String, _ option: WritableKeyPath<PostgresOptions, Value>, _ form: String,
        _ value: @escaping (String) -> Value?
      ) {
        (self.name, self.form) = (name, form)
        set = { options, text in
          guard let value = value(text) else { return false }
          options[keyPath: option] = value
          return true
        }
      }
    }

    private static var variables: [Variable] {
      let seconds = "a number of seconds from 0.001 to 1000000"
      return [
        Variable("SCHEMA", \.schema, schemaForm) { isSchema($0) ? $0 : nil },
        Variable("DURABILITY", \.durability, "process, system or power") {
          ["process": .process, "system": .system, "power": .power][$0]
        },
        Variable("CONNECTIONS", \.connections, "a whole number of at least 1") {
          Int($0).flatMap { $0 < 1 ? nil : $0 }
        },
        Variable("PATIENCE", \.patience, seconds, duration),
        Variable("ANSWER_TIMEOUT", \.answerTimeout, seconds, duration),
        Variable("POLL_INTERVAL", \.pollInterval, seconds, duration),
        Variable("NOTIFIES", \.notifies, "true or false") { Bool($0) },
        Variable("SETUP", \.setup, "existing, create or migrate") {
          ["existing": .existing, "create": .create, "migrate": .migrate][$0]
        },
      ]
    }

    private static func duration(_ text: String) -> Duration? {
      guard let seconds = Double(text), (0.001...1_000_000).contains(seconds) else { return nil }
      return .seconds(seconds)
    }
  }
#endif
