import CAnnalsSQLite

/// A log's file as SQLite opens it, with a checksum for every page.
///
/// A page's checksum is checked when the page is read, and computed when the page is written. SQLite allocates the
/// memory for this value, and for the underlying file after it. The underlying file is the file object of SQLite's
/// usual VFS, which reads and writes the file.
struct CheckedFile {
  /// The part that SQLite uses.
  ///
  /// It must be the first property, because SQLite expects it at the value's address.
  var base = sqlite3_file()
  /// Whether the file's pages have checksums, as far as known.
  private(set) var mode = Mode.unknown
  /// The number of the last page whose checksum did not match, or 0.
  private(set) var damagedPage: Int64 = 0
  /// A buffer for a page that is about to be written, because SQLite's own bytes must not be changed.
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  enum Mode {
    /// No part of the file was read yet, or the file isn't a database.
    case unknown
    /// The pages have no checksums, because the log has an older format.
    case plain
    /// The pages have checksums.
    case checked
    /// The pages must have checksums, even if the file's header states otherwise.
    case required
  }

  typealias Pointer = UnsafeMutablePointer<CheckedFile>

  /// The offset of the underlying file in the memory of a checked file.
  static let offset = (MemoryLayout<CheckedFile>.stride + 15) & ~15

  /// Returns the checked file at a pointer that SQLite passes.
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Pointer? {
    UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: CheckedFile.self)
  }

  /// Returns the underlying file of a checked file.
  static func behind(_ file: Pointer) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Makes later reads fail for pages without a valid checksum, even if the file's header declares no checksums.
  mutating func require() { mode = .required }

  /// True if all pages have checksums.
  var isChecked: Bool { mode == .checked || mode == .required }

  /// Reads byte 20 of the header, which is 8 if every page reserves eight bytes for a checksum.
  ///
  /// See sqlite.org/fileformat.html, section 1.3.4.
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
  /// Reads bytes, and verifies the checksum if the bytes are a page.
  static func read(
    _ file: Pointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let behind = behind(file)
    guard let methods = behind.pointee.pMethods else { return SQLITE_IOERR }
    let code = methods.pointee.xRead(behind, bytes, count, offset)
    // If the file ends inside a page, the rest is zeros. A page after the end is all zeros, and its checksum is zero.
    guard code == SQLITE_OK || code == shortRead, let bytes else { return code }
    let found = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    if offset == 0 { file.pointee.note(header: found) }
    guard file.pointee.isChecked, PageChecksum.isPage(found.count, at: offset), !PageChecksum.fits(found) else {
      return code
    }
    file.pointee.damagedPage = offset / Int64(count) + 1
    return ioErrorData
  }

  /// Writes bytes, after adding the checksum if the bytes are a page.
  static func write(_ file: Pointer, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
    let behind = behind(file)
    guard let methods = behind.pointee.pMethods, let bytes else { return SQLITE_IOERR }
    let page = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    if offset == 0 {
      file.pointee.note(header: page)
    } else if !file.pointee.isChecked {
      // Another process might have added checksums since the header was read. That process writes the file's first
      // page before the other pages, so the header is reread before every other page is written.
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

  /// SQLite's code for bytes that differ from the bytes that were written (sqlite.org/rescode.html, SQLITE_IOERR_DATA).
  static let ioErrorData = SQLITE_IOERR | 32 << 8
  /// SQLite's code for reading past a file's end, which sets the missing bytes to zero (SQLITE_IOERR_SHORT_READ).
  private static let shortRead = SQLITE_IOERR | 2 << 8
}
