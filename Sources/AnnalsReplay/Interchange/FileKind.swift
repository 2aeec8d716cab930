import Foundation

/// What a file is that cannot be imported, by its first bytes.
enum FileKind {
  case log
  case database
  case compressed(by: String)
  case utf16
  case other(String)

  /// The first byte of a text after white space, without a byte-order mark, or nil for a blank text.
  static func firstByte(of text: Data) -> UInt8? {
    text.dropFirst(text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// Nil if the file may have lines of text.
  init?(_ start: Data) {
    func begins(_ bytes: [UInt8]) -> Bool { start.starts(with: bytes) }
    let logMark = Data([0x41, 0x6E, 0x6C, 0x73])
    if begins(Array("SQLite format 3\0".utf8)) {
      self = start.dropFirst(68).prefix(4).elementsEqual(logMark) ? .log : .database
      return
    }
    if begins([0xFF, 0xFE]) || begins([0xFE, 0xFF]) {
      self = .utf16
      return
    }
    let programs: [(bytes: [UInt8], name: String)] = [
      ([0x1F, 0x8B], "gzip"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
      ([0x42, 0x5A, 0x68, 0x39], "bzip2"),
    ]
    if let program = programs.first(where: { begins($0.bytes) }) {
      self = .compressed(by: program.name)
      return
    }
    let others: [(bytes: [UInt8], name: String)] = [
      ([0xFF, 0xD8, 0xFF], "a JPEG image"), ([0x89, 0x50, 0x4E, 0x47], "a PNG image"),
      ([0x47, 0x49, 0x46, 0x38], "a GIF image"),
      ([0x25, 0x50, 0x44, 0x46, 0x2D], "a PDF document"), ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
      ([0x7F, 0x45, 0x4C, 0x46], "a program"),
    ]
    guard let other = others.first(where: { begins($0.bytes) }) else { return nil }
    self = .other(other.name)
  }

  /// The kinds of sources that `import` reads.
  static let sources =
    "SOURCE can be a file of CloudEvents (a JSON object a line), a log, the URL of a log, or a git repository's "
    + "folder. With --rows ID, it can be a CSV file or JSON rows whose field or column ID has the ids"

  /// What was expected, what was found, and what to do.
  ///
  /// - Parameters:
  ///   - tool: The tool's name.
  ///   - file: The file, as it was given.
  /// - Returns: The sentence.
  func sentence(tool: String, _ file: String) -> String {
    let found: String
    switch self {
    case .log:
      found =
        "an event log; "
        + "import its file instead: \(tool) import LOG FILE"
    case .database: found = "a SQLite database that is no event log"
    case .compressed(let program):
      found =
        "a file that \(program) compressed; unpack it: "
        + "\(program) -dc \(file == "-" ? "FILE" : file) | \(tool) import LOG -"
    case .utf16:
      found =
        "text in UTF-16; convert it: iconv -f UTF-16 -t UTF-8 \(file == "-" ? "FILE" : file) | \(tool) import LOG -"
    case .other(let name): found = name
    }
    return "expected lines of CloudEvents, found \(found)"
  }
}
