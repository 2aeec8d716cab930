import CAnnalsSQLite

/// A log's file as SQLite has it open: each page is checked when it is read, and gets its checksum when it is written.
///
/// SQLite allocates it. After it in memory comes the file of SQLite's usual way to files, which does the work.
struct CheckedFile {
  /// What SQLite calls; first, because SQLite looks for it there.
  var base = sqlite3_file()
  /// What is known of the file's pages.
  private(set) var mode = Mode.unknown
  /// The last page whose checksum did not fit; 0 if there is none.
  private(set) var damagedPage: Int64 = 0
  /// Room for a page that is written: SQLite's own bytes are not ours to change.
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  enum Mode {
    /// Nothing was read of the file yet, or it is no database.
    case unknown
    /// The pages have no checksums: a log of an older format.
    case plain
    /// They have.
    case checked
    /// They have, whatever the file's header says.
    case required
  }

  typealias Pointer = UnsafeMutablePointer<CheckedFile>

  /// The offset at which the file that does the work begins.
  static let offset = (MemoryLayout<CheckedFile>.stride + 15) & ~15

  /// The checked file that SQLite means.
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Pointer? {
    UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: CheckedFile.self)
  }

  /// The file that does the work of a checked one.
  static func behind(_ file: Pointer) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Says that the pages have checksums, whatever the header says.
  mutating func require() { mode = .required }

  /// True if each page has a checksum.
  var isChecked: Bool { mode == .checked || mode == .required }

  /// Reads from the header, at byte 20, whether pages keep eight bytes for a checksum.
  ///
  /// See sqlite.org/fileformat.html, 1.3.4.
  private mutating func note(header: UnsafeRawBufferPointer) {
    guard mode != .required, header.count >= 21, header.starts(with: "SQLite format 3\0".utf8) else { return }
    mode = header[20] == PageChecksum.size ? .checked : .plain
  }

  mutating func free() {
    scratch.deallocate()
    scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }
}

extension CheckedFile {
  /// Reads bytes, and checks them if they are a page.
  static func read(
    _ file: Pointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let behind = behind(file)
    guard let methods = behind.pointee.pMethods else { return SQLITE_IOERR }
    let code = methods.pointee.xRead(behind, bytes, count, offset)
    // A page that the file ends in has zeros for the rest. A page after the end is all zeros, whose checksum is zero.
    guard code == SQLITE_OK || code == shortRead, let bytes else { return code }
    let found = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    if offset == 0 { file.pointee.note(header: found) }
    guard file.pointee.isChecked, PageChecksum.isPage(found.count, at: offset), !PageChecksum.fits(found) else {
      return code
    }
    file.pointee.damagedPage = offset / Int64(count) + 1
    return ioErrorData
  }

  /// Writes bytes, and gives them their checksum if they are a page.
  static func write(_ file: Pointer, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
    let behind = behind(file)
    guard let methods = behind.pointee.pMethods, let bytes else { return SQLITE_IOERR }
    let page = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    if offset == 0 {
      file.pointee.note(header: page)
    } else if !file.pointee.isChecked {
      // Another process may have given the pages checksums since the header was read. The file's first page is written
      // before the others.
      var header = (0 as UInt64, 0 as UInt64, 0 as UInt64)
      withUnsafeMutableBytes(of: &header) { header in
        if methods.pointee.xRead(behind, header.baseAddress, Int32(header.count), 0) == SQLITE_OK {
          file.pointee.note(header: UnsafeRawBufferPointer(header))
        }
      }
    }
    guard file.pointee.isChecked, PageChecksum.isPage(page.count, at: offset) else {
      return methods.pointee.xWrite(behind, bytes, count, offset)
    }
    if file.pointee.scratch.count != page.count {
      file.pointee.free()
      file.pointee.scratch = .allocate(byteCount: page.count, alignment: 16)
    }
    let scratch = file.pointee.scratch
    scratch.copyMemory(from: page)
    PageChecksum.write(to: scratch)
    return methods.pointee.xWrite(behind, scratch.baseAddress, count, offset)
  }

  /// SQLite's code for content that is not as it was written (sqlite.org/rescode.html, SQLITE_IOERR_DATA).
  static let ioErrorData = SQLITE_IOERR | 32 << 8
  /// SQLite's code for a file that ends sooner; the rest of the bytes are zeros (SQLITE_IOERR_SHORT_READ).
  private static let shortRead = SQLITE_IOERR | 2 << 8
}
