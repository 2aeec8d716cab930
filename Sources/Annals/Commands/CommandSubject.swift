import AnnalsLog

/// The subject of a command: the stream or the boundary whose events a decider bases its decision on.
///
/// To select a stream, write the decider type and the stream's identifier in brackets. To select the boundary of a
/// ``BoundaryDecider``, call ``boundary(_:)``:
///
///     try store.execute(.insert(annals), on: Bookshop["main"])
///     try store.execute(.book(seat: 7), on: .boundary(Seats.self))
public struct CommandSubject<D: Decider>: Sendable {
  enum Kind: Sendable {
    case stream(StreamName, ExpectedVersion)
    case boundary(query: @Sendable (D.Command) -> EventQuery, stream: @Sendable (D.Command) -> StreamName)
  }

  let kind: Kind

  /// Creates a subject for a stream with a full name.
  init(stream: StreamName, expecting expected: ExpectedVersion = .any) { kind = .stream(stream, expected) }

  private init(_ kind: Kind) { self.kind = kind }

  /// Returns the stream to which a command's events are appended.
  func stream(for command: D.Command) -> StreamName {
    switch kind {
    case .stream(let stream, _): stream
    case .boundary(_, let stream): stream(command)
    }
  }

  /// Returns the query for the events on which a command is decided, or `nil` for a stream.
  func boundary(for command: D.Command) -> EventQuery? {
    if case .boundary(let query, _) = kind { query(command) } else { nil }
  }

  /// Returns the key under which a store runs commands one after another.
  package func lane(for command: D.Command) -> WorkLanes.Key {
    switch kind {
    case .stream(let stream, _): .stream(stream)
    case .boundary(let query, _): .boundary(query(command))
    }
  }
}

extension CommandSubject where D: BoundaryDecider {
  /// Returns a subject for commands that are decided within a boundary.
  ///
  /// For each command, ``BoundaryDecider/boundary(for:)`` returns the query that selects the boundary's events.
  ///
  ///     try store.execute(.book(seat: 7), on: .boundary(Seats.self))
  ///
  /// - Parameter decider: The decider type that handles the command.
  /// - Returns: The subject.
  public static func boundary(_ decider: D.Type) -> CommandSubject {
    CommandSubject(.boundary(query: { D.boundary(for: $0) }, stream: { D.stream(for: $0) }))
  }
}

extension BoundaryDecider {
  /// Returns the boundary as a subject of a decider type, or nil if the type isn't this type.
  static func subject<D: Decider>(of decider: D.Type) -> CommandSubject<D>? {
    CommandSubject<Self>.boundary(Self.self) as? CommandSubject<D>
  }
}

extension Decider {
  /// The subject of a command on the decider's stream that has the given identifier.
  ///
  ///     try store.execute(.insert(annals), on: Bookshop["main"])
  ///     try store.execute(.rename("Emma"), on: Letter["7", expecting: .exact(version)])
  ///
  /// - Parameters:
  ///   - id: The stream's identifier within the decider's ``category``, such as `main` in `Bookshop-main`.
  ///   - expected: The version that the stream must have before the transaction. If the stream has another version, the
  ///     command fails with ``EventStoreError`` (`.versionConflict`), without a retry.
  public static subscript(id: String, expecting expected: ExpectedVersion = .any) -> CommandSubject<Self> {
    CommandSubject(stream: stream(id), expecting: expected)
  }
}
