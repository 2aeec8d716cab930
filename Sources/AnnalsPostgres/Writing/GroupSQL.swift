#if Postgres
  import Annals

  /// The call of the server's function that appends a group of appends, one after another.
  ///
  /// An array per column contains the data of all appends, and `ends` contain the index at which each append's part
  /// ends.
  struct GroupSQL {
    private var (commands, calls, digests): ([String?], [String?], [String?]) = ([], [], [])
    private var (revisions, twice, names): ([Int], [Int], [String]) = ([], [], [])
    private var (expectedEnds, expected, versions): ([Int], [String], [Int]) = ([], [], [])
    private var (afterEnds, after, alternatives): ([Int], [Int], [String]) = ([], [], [])
    private var ends: [Int] = []
    private var (streams, sources, ids, types): ([String], [String], [String], [String]) = ([], [], [], [])
    private var (schemas, times, fields): ([Int], [Int], [Int]) = ([], [], [])
    private var (tags, bodies, metadata): ([String], [String?], [String]) = ([], [], [])
    private var (wordEnds, words, owners): ([Int], [String], [Int]) = ([], [], [])
    private var (fieldEnds, fieldOwners, places): ([Int], [Int], [Int]) = ([], [], [])
    private var (subjects, objects): ([String], [String?]) = ([], [])
    private var (allEnds, all): ([Int], [String]) = ([], [])

    init(_ appends: [AppendSQL]) {
      for append in appends { add(append) }
    }

    /// Returns the call as SQL.
    ///
    /// Its result has a row per append, with the columns of the function and of ``DurableEnd/moment``.
    ///
    /// - Parameter schema: The schema, quoted.
    /// - Returns: A statement whose parameters are ``values(isAgain:lockTimeout:)``.
    static func text(_ schema: String) -> String {
      let places = (2...35).map { "$\($0)" }.joined(separator: ", ")
      // The server evaluates the arguments before it calls the function, so the function's locks have the timeout.
      let first = "CASE WHEN set_config('lock_timeout', $36, true) IS NOT NULL THEN $1 END"
      // The server evaluates the moment once, and not for every row.
      return "WITH m (server, began, time) AS (SELECT \(DurableEnd.moment)) "
        + "SELECT w.*, m.* FROM m, \(schema).annals_write(\(first), \(places)) w"
    }

    /// Returns the values of the call's parameters.
    ///
    /// - Parameters:
    ///   - isAgain: True if the same appends were sent before, and might have been committed.
    ///   - lockTimeout: The value of PostgreSQL's setting `lock_timeout`.
    /// - Returns: The values, in the order of the function's parameters.
    func values(isAgain: Bool, lockTimeout: String) -> [SQLValue] {
      [
        // The transaction doesn't wait for the disk, because the next append waits for its lock (see `DurableEnd`).
        .text(Durability.process.synchronousCommit), .bool(isAgain),
        .texts(commands), .texts(calls), .texts(digests), .ints(revisions), .ints(twice), .texts(names),
        .ints(expectedEnds), .texts(expected), .ints(versions), .ints(afterEnds), .ints(after), .texts(alternatives),
        .ints(ends), .texts(streams), .texts(sources), .texts(ids), .texts(types), .ints(schemas), .ints(times),
        .texts(tags), .texts(bodies), .texts(metadata), .ints(fields),
        .ints(wordEnds), .texts(words), .ints(owners),
        .ints(fieldEnds), .ints(fieldOwners), .ints(places), .texts(subjects), .texts(objects),
        .ints(allEnds), .texts(all), .text(lockTimeout),
      ]
    }

    private mutating func add(_ item: AppendSQL) {
      let append = item.append
      let use = append.commandID == nil ? nil : append.use
      commands.append(append.commandID)
      calls.append(use?.call)
      digests.append(use?.digest)
      revisions.append(append.revision?.number ?? -1)
      twice.append(item.firstTwice)
      names.append(Self.words(item.streams.map(\.text)))
      all += item.streams.map(\.text)
      expected += item.expectations.map(\.stream.text)
      versions += item.expectations.map { Self.number($0.version, follows: item.link == .following) }
      after += append.conditions.map(\.after.rawValue)
      alternatives += append.conditions.map(Self.alternatives)
      for (index, entry) in append.entries.enumerated() { add(entry, index, of: item) }
      expectedEnds.append(expected.count)
      afterEnds.append(after.count)
      ends.append(ids.count)
      wordEnds.append(words.count)
      fieldEnds.append(subjects.count)
      allEnds.append(all.count)
    }

    private mutating func add(_ entry: Append.Entry, _ index: Int, of item: AppendSQL) {
      let event = entry.event
      let (sorted, cut) = (event.tags.sorted().map(\.text), item.cut[index])
      streams.append(entry.stream.text)
      sources.append(item.ids[index].source)
      ids.append(item.ids[index].id)
      types.append(event.type)
      schemas.append(event.schema)
      times.append(item.times[index])
      tags.append(Self.words(sorted))
      bodies.append(cut?.payload)
      metadata.append(event.metadata.json)
      fields.append(cut?.fields.count ?? 0)
      words += sorted
      owners += sorted.map { _ in index + 1 }
      for (place, field) in (cut?.fields ?? []).enumerated() {
        fieldOwners.append(index + 1)
        places.append(place)
        subjects.append(field.subject)
        objects.append(field.object)
      }
    }

    /// Returns an expected version as a number: the exact version, -1 for an existing stream, or -2 for any stream.
    ///
    /// A number n below -2 is the exact version -3 - n, and also requires the commit of the call's previous append.
    private static func number(_ expected: ExpectedVersion, follows: Bool) -> Int {
      switch expected {
      case .exact(let version) where follows && version >= 0: -3 - version
      case .any: -2
      case .exists: -1
      case .doesNotExist: 0
      // No stream has a negative version, and no stream has this many events.
      case .exact(let version): version < 0 ? .max : version
      }
    }

    private static func alternatives(_ condition: Append.Condition) -> String {
      guard let found = SQLAlternative.all(of: condition.noneMatching) else { return "[[[],[],[],[]]]" }
      return list(found.map { list([words($0.streams), words($0.types), words($0.tags), words($0.categories)]) })
    }

    private static func list(_ parts: [String]) -> String { "[" + parts.joined(separator: ",") + "]" }
    /// Returns strings as a JSON array, the server's format for an event's tags.
    static func words(_ words: [String]) -> String { list(words.map { JSONValue.quoted($0) }) }
  }
#endif
