import AnnalsLog

/// A string that identifies a projection in stored data.
///
/// The string contains the projection's name and all other properties that affect the projection's rows.
///
/// A signature is computed only for stored data. It doesn't describe the rows' properties, which `RowSamples` checks
/// with sample rows.
struct ProjectionSignature {
  /// The signature of the current projection.
  let text: String
  /// The signatures of former versions whose lists may be shown, newest first.
  let former: [String]

  /// - Parameters:
  ///   - projection: The projection.
  ///   - cacheName: The name under which the projection's list is saved.
  /// - Throws: ``ListRequestError`` if the projection can't be distinguished from others of its type.
  init<P: Projection>(of projection: P, cacheName: String) throws(ListRequestError) {
    let value: [String]
    do { value = try Self.identity(of: projection).map { [$0] } ?? [] } catch {
      throw ListRequestError(
        code: .unidentifiedProjection,
        message:
          "the list with the cache name \"\(cacheName)\" can't be saved: \(error). Give \(P.self) an identity that "
          + "differs for different projections, such as `var identity: String? { team }`, or make \(P.self) "
          + "Encodable"
      )
    }
    // An interpolation of an enum searches the whole program for conformances, so the cases are spelled out.
    let unknown =
      switch P.unknownEvents {
      case .stop: "stop"
      case .skip: "skip"
      }
    let newer =
      switch P.newerEvents {
      case .stop: "newer stop"
      case .skip: "newer skip"
      case .read: "newer read"
      }
    func signature(_ version: Int) -> String {
      ([
        P.name, "version \(version)", unknown, newer, P.Event.typePrefix,
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

  /// Returns the identity of a projection among others of its type, or `nil` if the type has only one value.
  static func identity<P: Projection>(of projection: P) throws -> String? {
    if let identity = projection.identity { return "identity \(identity)" }
    // The type has no stored properties. Don't use a mirror for this check, because the mirror may be custom code.
    if MemoryLayout<P>.size == 0 { return nil }
    guard let value = projection as? any Encodable else {
      throw Unknown(
        description: "the projection \(P.self) has no identity. Its stored properties can change its rows, so a list "
          + "that was saved with other values of these properties could be loaded by mistake")
    }
    do {
      return "value \(try PayloadCoder(isCanonical: true).encode(value))"
    } catch {
      throw Unknown(
        description:
          "the projection \(P.self) has no identity, so its JSON must identify it, but the projection cannot be "
          + "encoded: \(described(error))"
      )
    }
  }
}
