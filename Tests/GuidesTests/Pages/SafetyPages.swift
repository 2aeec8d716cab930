import Annals
import AnnalsSQLite
import Foundation
import Testing

struct Attachment: Codable, Hashable, Sendable {
  var digest: String
  var name: String
  var byteCount: Int
}

struct AttachmentFiles: Sendable {
  enum Failure: Error { case missing(Attachment), damaged(Attachment) }

  let folder: URL
  let digest: @Sendable (Data) -> String

  /// Stores and syncs the bytes, before you append the event.
  func add(_ data: Data, named name: String) throws -> Attachment {
    let attachment = Attachment(digest: digest(data), name: name, byteCount: data.count)
    let file = url(of: attachment)
    if FileManager.default.fileExists(atPath: file.path) { return attachment }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let temporary = folder.appending(path: "\(UUID().uuidString).new")
    try data.write(to: temporary)
    let handle = try FileHandle(forUpdating: temporary)
    try handle.synchronize()
    try handle.close()
    // If another program was faster, its file has the same bytes.
    try? FileManager.default.moveItem(at: temporary, to: file)
    try? FileManager.default.removeItem(at: temporary)
    return attachment
  }

  func data(of attachment: Attachment) throws -> Data {
    guard let data = try? Data(contentsOf: url(of: attachment)) else { throw Failure.missing(attachment) }
    guard digest(data) == attachment.digest else { throw Failure.damaged(attachment) }
    return data
  }

  private func url(of attachment: Attachment) -> URL { folder.appending(path: attachment.digest) }
}

// The page has the event at file level, where another page's type has its name.
extension AttachmentFiles { typealias NoteEvent = SafetyPages.NoteEvent }

extension AttachmentFiles {
  /// Deletes files that no event refers to, and that are older than the date.
  func sweep(_ store: some EventStore, olderThan date: Date) throws -> Int {
    var needed: Set<String> = []
    try store.forEachEvent(of: NoteEvent.self) { recorded in
      if case .attached(_, let attachment) = recorded.event, let digest = attachment.value?.digest {
        needed.insert(digest)
      }
    }
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where !needed.contains(file.lastPathComponent) {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      guard let made = attributes[.modificationDate] as? Date, made < date else { continue }
      try FileManager.default.removeItem(at: file)
      count += 1
    }
    return count
  }
}

/// The code of `Docs/LargeValues.md` and `Docs/Security.md`.
@Suite struct SafetyPages {
  enum NoteEvent: Event {
    case written(id: String, text: String)
    case attached(id: String, file: Personal<Attachment>)
    case detached(id: String)
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-safety-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// Contents are their own digest, because Linux has no hash function without another package.
  private func files(in folder: URL) -> AttachmentFiles {
    AttachmentFiles(folder: folder.appending(path: "attachments")) { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a file is stored once, and is deleted after its person was erased`() throws {
    try withFolder { folder in
      let files = files(in: folder)
      let store = MemoryEventStore()
      let data = Data("garden".utf8)

      let picture = try files.add(data, named: "Garden.jpg")
      try store.append(
        [NoteEvent.attached(id: "1", file: Personal(picture, of: "customer-7"))], to: "Notes")

      #expect(try files.add(data, named: "Copy.jpg").digest == picture.digest)
      #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder.path) == ["garden"])
      #expect(try files.data(of: picture) == data && picture.byteCount == 6)
      #expect(try files.sweep(store, olderThan: .distantFuture) == 0)

      try store.erase(subject: "customer-7")
      let deleted = try files.sweep(store, olderThan: Date(timeIntervalSinceNow: -86_400))

      #expect(deleted == 0)
      #expect(try files.sweep(store, olderThan: .distantFuture) == 1)
      #expect(throws: AttachmentFiles.Failure.self) { try files.data(of: picture) }
    }
  }

  @Test func `a damaged file is not returned`() throws {
    try withFolder { folder in
      let files = files(in: folder)
      let picture = try files.add(Data("garden".utf8), named: "Garden.jpg")
      try Data("gardem".utf8).write(to: files.folder.appending(path: "garden"))
      #expect {
        try files.data(of: picture)
      } throws: { error in
        if case AttachmentFiles.Failure.damaged(picture) = error { true } else { false }
      }
    }
  }

  @Test func `other users cannot open the folder of a log`() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let store = try SQLiteEventStore(path: folder.appending(path: "shop.annals").path)

      try store.append([NoteEvent.written(id: "1", text: "Dig")], to: "Notes")
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { $0.hasPrefix("shop.") })
      store.close()
    }
  }

  @Test func `the limits of the page are in the source`() throws {
    let page = try Page("Docs/LargeValues.md").text
    for (path, constant, limit) in [
      ("AnnalsSQLite/Connection/SQLiteConnection.swift", "SQLite's limit of 1 billion bytes", "1 billion bytes"),
      ("AnnalsLog/JSON/JSON.swift", "maximumDepth = 256", "| 256 |"),
      ("AnnalsSQLite/Writing/RecentEvents.swift", "longest = 4_096", "| 4,096 bytes |"),
      ("AnnalsSQLite/Reading/EventReader+Batches.swift", "batchBytes = 8_388_608", "| about 8 MB |"),
    ] {
      let source = try String(contentsOf: Guide.root.appending(path: "Sources/\(path)"), encoding: .utf8)
      #expect(source.contains(constant), "\(path) has no \(constant)")
      #expect(page.contains(limit), "the page has no \(limit)")
    }
  }
}
