/// Some rows and entities of a saved list, with what their types ask for when they are decoded.
///
/// A list that is read by other code than wrote it is known by them: a property that was added, taken away or has
/// another type is asked for, or is not, where a sample is decoded again. So nothing is decoded to find it out that was
/// not encoded.
struct RowSamples: Sendable {
  struct Sample: Hashable, Sendable {
    /// The name of the kind of entity, "" for a row.
    let kind: String
    let bytes: [UInt8]
    let shape: String
  }

  /// What was asked for where a sample was decoded.
  typealias Found = (shape: String, parts: Set<String>)

  /// So many are kept.
  private static var most: Int { 16 }
  /// A sample that is longer is kept only if it is the first of its kind.
  private static var longest: Int { 4_096 }

  private(set) var all: [Sample] = []
  /// How many rows and entities are looked at yet.
  private var left = 4_096
  /// By kind: the properties that samples have.
  private var parts: [String: Set<String>] = [:]
  /// The page that the samples are on, if they are.
  private(set) var page = TreePageID.none

  init() {}

  /// Keeps what was encoded, if it asks for properties that no sample asks for.
  mutating func look(at bytes: [UInt8], kind: String = "", _ decode: (ArraySlice<UInt8>) throws -> Found) rethrows {
    let known = parts[kind]
    guard left > 0, known == nil || all.count < Self.most && bytes.count <= Self.longest else { return }
    left -= 1
    let (shape, found) = try decode(bytes[...])
    if let known, found.isSubset(of: known) { return }
    parts[kind, default: []].formUnion(found)
    all.append(Sample(kind: kind, bytes: bytes, shape: shape))
    page = .none
  }

  /// Writes the samples, if they are not on a page of the cache yet.
  mutating func save(_ saver: TreeSaver) throws {
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
  init(_ page: TreePageID, in pages: TreePages) throws {
    self.page = page
    guard page != .none else { return }
    guard page.page >= 1, page.page < pages.nextPage else {
      throw PageError("the samples are said to be on page \(page.page)")
    }
    var reader = PageReader(try pages.bytes(of: page.page, digest: page.digest))
    for _ in 0..<(try reader.count()) {
      all.append(Sample(kind: try reader.text(), bytes: Array(try reader.blob()), shape: try reader.text()))
    }
    guard reader.isAtEnd else { throw PageError("there is more behind the samples than expected") }
  }

  /// Throws if a sample's type asks for something else than it did; else takes note of what it asks for.
  ///
  /// - Parameters:
  ///   - kind: The kind of what is decoded.
  ///   - name: What its type is called.
  ///   - decode: Decodes a sample.
  /// - Throws: `PageError`.
  mutating func check(kind: String = "", of name: String, _ decode: (ArraySlice<UInt8>) throws -> Found) throws {
    for sample in all where sample.kind == kind {
      let found: Found
      do {
        found = try decode(sample.bytes[...])
      } catch {
        throw PageError("a saved \(name) cannot be decoded as \(name) is now: \(error)")
      }
      guard found.shape == sample.shape else {
        throw PageError(
          "the properties of \(name) are others than when the list was saved: expected \(sample.shape), found "
            + "\(found.shape)")
      }
      parts[kind, default: []].formUnion(found.parts)
    }
  }
}
