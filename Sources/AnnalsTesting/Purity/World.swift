extension Purity {
  /// A process whose environment differs from the environment of the calling process in one respect.
  public struct World: Hashable, Sendable {
    /// The difference from the calling process, as a phrase for reports such as `in another time zone`.
    public let name: String
    /// The probable cause of a different result in this world.
    let cause: String
    /// The variables that differ from a plain process, with `nil` for removed variables.
    let variables: [String: String?]
    /// The number of seconds that the clock is ahead.
    let clock: Int
    /// Whether the process runs in another directory.
    let movesFolder: Bool

    private init(
      _ name: String, cause: String, variables: [String: String?] = [:], clock: Int = 0, movesFolder: Bool = false
    ) {
      self.name = name
      self.cause = cause
      self.variables = variables
      self.clock = clock
      self.movesFolder = movesFolder
    }

    /// Creates a process with additional or changed environment variables.
    ///
    /// - Parameters:
    ///   - name: The difference from the calling process, as a phrase for reports such as `in another time zone`.
    ///   - variables: Environment variables and their values.
    public init(_ name: String, variables: [String: String]) {
      self.init(name, cause: "the environment", variables: variables.mapValues { .some($0) })
    }

    /// A second process with the same environment as the first process.
    public static let same = World(
      "in a second identical process", cause: "randomness, the time, or the addresses of objects")
    /// A process with another seed of `hashValue`, so that sets and dictionaries have another order.
    ///
    /// An app also gets another seed, and therefore another order, at every launch.
    public static let hashSeed = World(
      "with another hash seed", cause: "hashValue, or the order of a set or a dictionary",
      variables: ["SWIFT_DETERMINISTIC_HASHING": nil])
    /// A process with a time zone 14 hours ahead of UTC, so that the date is often different.
    public static let timeZone = World(
      "in another time zone", cause: "the time zone, for example through Calendar.current",
      variables: ["TZ": "Pacific/Kiritimati"])
    /// A process with the language and region of Turkey.
    public static let language = World(
      "in another language", cause: "the language or the region, for example through Locale.current",
      variables: ["LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr"])
    /// A process with another user, home directory and working directory.
    public static let user = World(
      "for another user in another folder", cause: "the environment or the file system",
      variables: ["USER": "else", "LOGNAME": "else", "HOME": "/", "HOSTNAME": "else"], movesFolder: true)
    /// Returns a process whose clock runs a number of hours behind the system's clock.
    ///
    /// The system clock doesn't change. Instead, a library that returns another time is compiled with the local C
    /// compiler, and loaded into the process. If the computer has no compiler, or if the process still gets the
    /// system's time, the world is skipped and listed in the report.
    ///
    /// - Parameter hours: The number of hours.
    /// - Returns: The world.
    public static func clock(hoursBehind hours: Int) -> World {
      World("with a clock \(hours) hours behind", cause: "the time, for example through Date()", clock: -hours * 3_600)
    }

    /// All predefined worlds, which the checks compare by default.
    ///
    /// Three worlds have another hash seed, because a small set often has the same order for two seeds. Three other
    /// worlds have clocks that are 400 days and 7, 13 or 19 hours behind, so the time of day differs, too. For example,
    /// some code checks whether a shop is open. If the shop is open for 8 to 16 hours a day, it is open in one of these
    /// three worlds and closed in another.
    public static let all: [World] =
      [.same, .hashSeed, .hashSeed, .hashSeed, .timeZone, .language, .user]
      + [7, 13, 19].map { .clock(hoursBehind: 400 * 24 + $0) }
  }

  /// The way to start another process.
  public struct Launch: Sendable {
    let words: [String]?

    /// Reruns only the calling test.
    ///
    /// The test must be a Swift Testing test that `swift test` runs.
    public static let thisTest = Launch(words: nil)

    /// Returns a launch that runs an executable.
    ///
    /// The executable must call the same check function as the test, for example `checkPurity`.
    ///
    /// Move the code that contains the call into a library for both the tests and the executable. In that executable,
    /// the call handles requests from standard input, and then exits the process.
    ///
    /// - Parameters:
    ///   - path: The path of the executable.
    ///   - arguments: The arguments of the executable.
    /// - Returns: The way to start the executable.
    public static func executable(_ path: String, _ arguments: [String] = []) -> Launch {
      Launch(words: [path] + arguments)
    }
  }
}
