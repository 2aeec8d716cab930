import AnnalsLog

/// Sample rows and entities of a saved list, with the properties that their types request during decoding.
///
/// With the samples, a program detects that the list was written by different code. When a sample is decoded, the type
/// requests an added property, no longer requests a removed property, and requests a changed property with another
/// type. This check decodes only data that was really encoded.
package struct RowSamples: Sendable {
  package struct Sample: Hashable, Sendable {
    /// The name of the kind of entity, or "" for a row.
    package let kind: String
    package let bytes: [UInt8]
    let shape: String
  }

  /// The properties that were requested while a sample was decoded.
  package typealias Found = (shape: String, parts: Set<String>)

  /// The maximum number of samples.
  private static var most: Int { 16 }
  /// The maximum length of a sample.
  ///
  /// The first sample of its kind can be longer.
  private static var longest: Int { 4_096 }

  package private(set) var all: [Sample] = []
  /// The remaining number of rows and entities to check.
  private var left = 4_096
  /// The properties that the samples' types have requested, by kind.
  private var parts: [String: Set<String>] = [:]
  /// The page that contains the samples, or `TreePageID.none` if they weren't saved.
  package private(set) var page = TreePageID.none

  package init() {}

  /// Stores an encoded value as a sample if decoding it requests properties that no other sample requests.
  package mutating func look(at bytes: [UInt8], kind: String = "", _ decode: (ArraySlice<UInt8>) throws -> Found)
    rethrows
  {
    let known = parts[kind]
    guard left > 0, known == nil || all.count < Self.most && bytes.count <= Self.longest else { return }
    left -= 1
    let (shape, found) = try decode(bytes[...])
    if let known, found.isSubset(of: known) { return }
    parts[kind, default: []].formUnion(found)
    all.append(Sample(kind: kind, bytes: bytes, shape: shape))
    page = .none
  }

  /// Takes over the number of remaining checks from the samples of the same list before it was reloaded.
  package mutating func resume(_ other: RowSamples) { left = min(left, other.left) }

  /// Writes the samples, unless they are already on a page of the cache.
  package mutating func save(_ saver: TreeSaver) throws {
    guard !all.isEmpty, page.pages != saver.pages else { return }
    var writer = PageWriter()
    writer.int(all.count)
    for sample in all {
      writer.text(sample.kind)
      writer.blob(sample.bytes)
      writer.text(sample.shape)
    }
    page = try saver.write(writer.bytes)
  }
}

extension RowSamples {
  /// Reads the samples of a list.
  package init(_ page: TreePageID, in pages: TreePages) throws {
    self.page = page
    guard page != .none else { return }
    guard page.page >= 1, page.page < pages.nextPage else {
      throw PageError("expected a page number from 1 to \(pages.nextPage - 1) for the row samples, found \(page.page)")
    }
    var reader = PageReader(try pages.bytes(of: page.page, digest: page.digest))
    for _ in 0..<(try reader.count()) {
      all.append(Sample(kind: try reader.text(), bytes: Array(try reader.blob()), shape: try reader.text()))
    }
    guard reader.isAtEnd else { throw PageError("the page of the row samples has more bytes than expected") }
  }

  /// Checks that the samples of a kind request the same properties as when the list was saved.
  ///
  /// If the check succeeds, the method records the requested properties.
  ///
  /// - Parameters:
  ///   - kind: The kind of the decoded values.
  ///   - name: The name of the values' type.
  ///   - decode: A closure that decodes a sample.
  /// - Throws: `PageError` if the type has changed.
  package mutating func check(kind: String = "", of name: String, _ decode: (ArraySlice<UInt8>) throws -> Found) throws
  {
    for sample in all where sample.kind == kind {
      let found: Found
      do {
        found = try decode(sample.bytes[...])
      } catch {
        throw PageError("a saved \(name) cannot be decoded by the current type: \(described(error))")
      }
      guard found.shape == sample.shape else {
        throw PageError(
          "the properties of \(name) have changed since the list was saved: expected \(sample.shape), found "
            + "\(found.shape)")
      }
      parts[kind, default: []].formUnion(found.parts)
    }
  }
}
