#if Postgres
  import CAnnalsPQ
  import Foundation

  /// The hosts in a URL, which are tried one after another, with a separate timeout per host.
  ///
  /// libpq also tries hosts one after another, but its nonblocking calls have no timeout per host. So if a machine is
  /// off and doesn't respond, libpq would not try the hosts after it.
  struct SQLHosts: Sendable {
    /// The keywords and values of a host, which are passed to libpq after the URL.
    struct Host: Sendable {
      var words: [(name: String, value: String)]

      /// The host's name or address, and its port if the URL contains it.
      var name: String {
        func value(_ name: String) -> String? { words.first { $0.name == name && !$0.value.isEmpty }?.value }
        let place = value("host") ?? value("hostaddr") ?? ""
        return value("port").map { "\(place):\($0)" } ?? place
      }
    }

    /// The hosts, at least two, or an empty array if libpq itself chooses the host.
    let hosts: [Host]
    /// The timeout per host, in nanoseconds.
    let time: UInt64
    /// The parts of the URL's password that libpq's messages can contain.
    let secrets: SQLSecrets
    /// True if the store chooses values for keepalives that the URL doesn't contain.
    ///
    /// It's false with a service file, because the store's values would override the file's values.
    let keepsAlive: Bool

    /// Extracts the hosts from a URL.
    ///
    /// - Parameters:
    ///   - conninfo: A URL, or keywords in libpq's format.
    ///   - patience: The maximum time for connecting to all hosts, in nanoseconds.
    init(_ conninfo: String, patience: UInt64) {
      let words = Self.words(conninfo)
      func list(_ name: String) -> [String] {
        words[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
      }
      secrets = SQLSecrets(conninfo, read: words)
      keepsAlive = words["service"] == nil
      let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
      let count = max(names.count, addresses.count)
      // libpq itself chooses the host if the settings compare all hosts before choosing one, or are in a service file.
      let isPlain =
        words["service"] == nil && words["target_session_attrs"] != "prefer-standby"
        && words["load_balance_hosts"] ?? "disable" == "disable"
        && [names.count, addresses.count].allSatisfy { $0 == 0 || $0 == count }
        && [0, 1, count].contains(ports.count)
      let wished = words["connect_timeout"].flatMap { UInt64($0) }.map { $0 * 1_000_000_000 } ?? 0
      time = wished > 0 ? min(wished, patience) : patience / UInt64(count + 1)
      guard isPlain, count > 1 else {
        hosts = []
        return
      }
      hosts = (0..<count).map { index in
        var words: [(name: String, value: String)] = []
        if !names.isEmpty { words.append(("host", names[index])) }
        if !addresses.isEmpty { words.append(("hostaddr", addresses[index])) }
        if !ports.isEmpty { words.append(("port", ports.count == 1 ? ports[0] : ports[index])) }
        return Host(words: words)
      }
    }

    /// Returns the values in a URL.
    ///
    /// Values that the URL doesn't contain are read from libpq's environment variables.
    private static func words(_ conninfo: String) -> [String: String] {
      let environment = ProcessInfo.processInfo.environment
      var found: [String: String] = [:]
      for (name, variable) in [
        ("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"), ("port", "PGPORT"), ("service", "PGSERVICE"),
        ("connect_timeout", "PGCONNECT_TIMEOUT"), ("target_session_attrs", "PGTARGETSESSIONATTRS"),
      ] {
        if let value = environment[variable], !value.isEmpty { found[name] = value }
      }
      guard SQLSecrets.isURL(conninfo) || conninfo.contains("="), let options = PQconninfoParse(conninfo, nil) else {
        return found
      }
      defer { PQconninfoFree(options) }
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      return found
    }
  }
#endif
