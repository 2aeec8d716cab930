extension Purity {
  /// A process that differs from a plain one in one thing.
  public struct World: Hashable, Sendable {
    /// What differs, in the words of the report.
    public let name: String
    /// What a difference comes from.
    let cause: String
    /// The variables that differ from those of a plain process; nil removes one.
    let variables: [String: String?]
    /// How many seconds the clock is ahead.
    let clock: Int
    /// True if the process works in another folder.
    let movesFolder: Bool

    private init(
      _ name: String, cause: String, variables: [String: String?] = [:], clock: Int = 0, movesFolder: Bool = false
    ) {
      (self.name, self.cause, self.variables, self.clock) = (name, cause, variables, clock)
      self.movesFolder = movesFolder
    }

    /// A process with another set of variables.
    ///
    /// - Parameters:
    ///   - name: What differs, in the words of the report.
    ///   - variables: Environment variables and their values.
    public init(_ name: String, variables: [String: String]) {
      self.init(name, cause: "the environment", variables: variables.mapValues { .some($0) })
    }

    /// A second process that differs in nothing.
    public static let same = World(
      "in a second process like the first", cause: "chance, the time, or the addresses of objects")
    /// Another seed of `hashValue` and of the order of sets and dictionaries, as every process of an app has.
    public static let hashSeed = World(
      "with another hash seed", cause: "hashValue, or the order of a set or a dictionary",
      variables: ["SWIFT_DETERMINISTIC_HASHING": nil])
    /// A time zone in which it is another day: 14 hours ahead of UTC.
    public static let timeZone = World(
      "in another time zone", cause: "the time zone, such as by the current calendar",
      variables: ["TZ": "Pacific/Kiritimati"])
    /// Another language and region.
    public static let language = World(
      "in another language", cause: "the language or the region, such as by the current locale",
      variables: ["LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr"])
    /// Another user, home folder and working folder.
    public static let user = World(
      "for another user in another folder", cause: "the environment or the file system",
      variables: ["USER": "else", "LOGNAME": "else", "HOME": "/", "HOSTNAME": "else"], movesFolder: true)
    /// A clock that is some hours behind.
    ///
    /// The system's clock is not touched. A library that answers another time is compiled with the computer's C
    /// compiler and loaded into the process. Without a compiler, or if the process shows the usual time, the world is
    /// left out, and the report says so.
    ///
    /// - Parameter hours: How many hours.
    /// - Returns: The world.
    public static func clock(hoursBehind hours: Int) -> World {
      World("with a clock \(hours) hours behind", cause: "the time, such as by Date()", clock: -hours * 3_600)
    }

    /// All worlds.
    ///
    /// That with another hash seed is there three times, because two orders of a small set are often the same. So is
    /// that with another clock, 400 days and 7, 13 or 19 hours behind: whatever is open for 8 to 16 hours of a day is
    /// then open in one and closed in another.
    public static let all: [World] =
      [.same, .hashSeed, .hashSeed, .hashSeed, .timeZone, .language, .user]
      + [7, 13, 19].map { .clock(hoursBehind: 400 * 24 + $0) }
  }

  /// How another process is started.
  public struct Launch: Sendable {
    let words: [String]?

    /// Runs the calling test again, alone: for tests of Swift Testing that `swift test` runs.
    public static let thisTest = Launch(words: nil)

    /// Runs an executable that calls the same function, with the call of ``Purity`` in it.
    ///
    /// Put the function into a library that the tests and the executable use. In the executable the call answers
    /// questions on its standard input, and ends the process.
    ///
    /// - Parameters:
    ///   - path: The executable.
    ///   - arguments: Its arguments.
    /// - Returns: The way to start it.
    public static func executable(_ path: String, _ arguments: [String] = []) -> Launch {
      Launch(words: [path] + arguments)
    }
  }
}
