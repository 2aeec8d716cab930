#if Postgres
  import Foundation

  /// The parts of a URL's password that libpq's messages can contain.
  ///
  /// If a special character of a password isn't percent-encoded, libpq reads a part of the password as another value,
  /// for example as the host. Then its messages contain this part.
  struct SQLSecrets: Sendable {
    private let parts: Set<Substring>

    /// Finds the parts.
    ///
    /// - Parameters:
    ///   - conninfo: A URL, or keywords in libpq's format.
    ///   - values: The values that libpq has read from the URL, by name. It's empty if libpq refuses the URL.
    init(_ conninfo: String, read values: [String: String]) {
      let isURL = Self.isURL(conninfo)
      let secrets = isURL ? Self.secrets(inURL: conninfo) : Self.secrets(inKeywords: conninfo)
      // If libpq has read the whole password as a password, its messages don't contain the password. In a URL, libpq
      // could have read only the beginning of the password.
      let areRead = secrets.allSatisfy { secret in
        values[secret.name].map { !isURL || $0 == Self.decoded(secret.text) } ?? false
      }
      parts =
        areRead
        ? [] : Set(secrets.flatMap { Self.parts(of: $0.text) + Self.parts(of: Self.decoded($0.text)) })
    }

    static func isURL(_ conninfo: String) -> Bool {
      conninfo.hasPrefix("postgresql://") || conninfo.hasPrefix("postgres://")
    }

    /// Returns a message without the parts of the password.
    func redacted(_ message: String) -> String {
      if parts.isEmpty { return message }
      var (found, rest) = ("", message[...])
      while !rest.isEmpty {
        let word = rest.prefix { !Self.isSeparator($0) }
        found += parts.contains(word) ? "[password]" : word
        rest = rest.dropFirst(word.count)
        if let separator = rest.popFirst() { found.append(separator) }
      }
      return found
    }

    /// A password's text in a connection string, and the name of its parameter.
    private typealias Secret = (name: String, text: Substring)

    private static let names = ["password", "sslpassword"]

    private static func secrets(inURL url: String) -> [Secret] {
      guard let scheme = url.firstRange(of: "://") else { return [] }
      let rest = url[scheme.upperBound...]
      // A password can contain "?" and "@". The parameters begin with the name of a parameter.
      let query = rest.firstRange(of: /\?[\w%]+=/)
      let place = rest[..<(query?.lowerBound ?? rest.endIndex)]
      var found: [Secret] = []
      if let end = place.lastIndex(of: "@") {
        if let colon = place[..<end].firstIndex(of: ":") {
          found.append(("password", place[place.index(after: colon)..<end]))
        }
      } else {
        // Without a host, as in `postgresql://user:password/database`, libpq reads the password as a port.
        for host in place.prefix(while: { $0 != "/" && $0 != "?" }).split(separator: ",") {
          let name = host.lastIndex(of: "]").map { host[$0...] } ?? host
          guard let colon = name.firstIndex(of: ":") else { continue }
          let port = name[name.index(after: colon)...]
          if !port.allSatisfy(\.isNumber) { found.append(("password", port)) }
        }
      }
      return found + secrets(in: rest[(query?.lowerBound ?? rest.endIndex)...].dropFirst().split(separator: "&"))
    }

    private static func secrets(inKeywords keywords: String) -> [Secret] {
      secrets(in: keywords.replacing(/\s*=\s*/, with: "=").split(whereSeparator: \.isWhitespace))
    }

    /// Returns the passwords in parameters such as `password=hidden`.
    ///
    /// A parameter without "=" belongs to the value before it, which contains an unescaped separator.
    private static func secrets(in parameters: [Substring]) -> [Secret] {
      var (found, last): ([Secret], String) = ([], "")
      for parameter in parameters {
        let sign = parameter.firstIndex(of: "=")
        if let sign { last = decoded(parameter[..<sign]) }
        if names.contains(last) {
          found.append((last, sign.map { parameter[parameter.index(after: $0)...] } ?? parameter))
        }
      }
      return found
    }

    private static func decoded(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }

    private static func parts(of text: some StringProtocol) -> [Substring] {
      String(text).split(whereSeparator: isSeparator)
    }

    /// True for the characters at which libpq divides a connection string, and for the characters around the values in
    /// its messages.
    private static func isSeparator(_ character: Character) -> Bool {
      character.isWhitespace || "@/:?&=%,;[]()\\'\"«»„“”".contains(character)
    }
  }
#endif
