/// What a projection is called where something is kept of it, with all by which its rows can become others.
///
/// It is asked for only where something is kept. It says nothing about rows: what they are is found by looking at rows;
/// see `RowSamples`.
struct ProjectionSignature {
  /// That of the projection as it is.
  let text: String
  /// Those of former versions whose lists may stand in, the newest first.
  let former: [String]

  /// - Parameters:
  ///   - projection: The projection.
  ///   - cacheName: The name that its list is to be saved under.
  /// - Throws: ``FetchRequestError`` if one projection of the type cannot be distinguished from another.
  init<P: Projection>(of projection: P, cacheName: String) throws(FetchRequestError) {
    let value: [String]
    do { value = try Self.identity(of: projection).map { [$0] } ?? [] } catch {
      throw FetchRequestError(
        code: .unidentifiedProjection,
        message:
          "a list with the cache name \"\(cacheName)\" is saved by what its projection is: \(error); give \(P.self) "
          + "an identity that says what tells one from another, such as var identity: String? { team }, or make it "
          + "Encodable"
      )
    }
    func signature(_ version: Int) -> String {
      ([
        P.name, "version \(version)", "\(P.unknownEvents)", "newer \(P.newerEvents)", P.Event.typePrefix,
        "schema \(P.Event.schema)",
      ] + UpcasterChain.shape(of: P.Event.self) + P.relations.map(\.name) + value).map {
        JSONValue.quoted($0)
      }.joined(separator: " ")
    }
    text = signature(P.version)
    former = P.formerVersions.subtracting([P.version]).sorted(by: >).map { signature($0) }
  }

  private struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  /// What tells a projection from others of its type; nil if there can be no other.
  static func identity<P: Projection>(of projection: P) throws -> String? {
    if let identity = projection.identity { return "identity \(identity)" }
    // Nothing is stored in it. What a mirror shows of it may be the user's own.
    if MemoryLayout<P>.size == 0 { return nil }
    guard let value = projection as? any Encodable else {
      throw Unknown(
        description: "expected an identity, since \(P.self) has stored properties and two of them may make other rows, "
          + "found none")
    }
    do {
      return "value \(try PayloadCoder(isCanonical: true).encode(value))"
    } catch {
      throw Unknown(
        description: "expected JSON that tells \(P.self) from others, found that it cannot be written: \(error)")
    }
  }
}
