import Foundation

/// The pages of a damaged log, which are read from its file and its `-wal` file without SQLite.
///
/// See sqlite.org/fileformat.html, section 1.3 for the header and section 4 for the `-wal` file.
struct SalvagedPages {
  private let file: Data
  private let commits: Data
  /// The offsets in the `-wal` file of the pages' last committed contents, by page number.
  private var committed: [Int: Int] = [:]
  /// True if the log has a `-wal` file with commits.
  var hasCommits: Bool { !commits.isEmpty }
  let pageSize: Int
  /// The number of bytes in a page, without the bytes reserved for its checksum.
  let usable: Int
  /// The number of pages, including pages that are only in the `-wal` file.
  private(set) var count: Int
  /// True if the first page is intact, so that the header can be trusted.
  private(set) var hasHeader = false
  /// The file format as stated in the header, or `nil` if the header cannot be trusted.
  private(set) var format: Int?

  init(_ path: String) throws {
    file = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    commits = (try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"), options: .alwaysMapped)) ?? Data()
    let start = Array(file.prefix(100))
    let isDatabase = start.count == 100 && start.starts(with: Array("SQLite format 3\0".utf8))
    let written = isDatabase ? Int(start[16]) << 8 | Int(start[17]) : 0
    let inCommits = commits.count >= 32 ? Self.word(commits, 8) : 0
    let sizes = [written == 1 ? 65_536 : written, inCommits, 4_096]
    pageSize = sizes.first { $0 >= 512 && $0 <= 65_536 && $0 & ($0 - 1) == 0 } ?? 4_096
    let reserved = isDatabase && [0, PageChecksum.size].contains(Int(start[20])) ? Int(start[20]) : PageChecksum.size
    usable = pageSize - reserved
    count = (file.count + pageSize - 1) / pageSize
    readCommits()
    if let first = page(1), first.starts(with: Array("SQLite format 3\0".utf8)) {
      hasHeader = isSound(first)
      if hasHeader { format = Self.word(first, 60) }
    }
  }

  /// Returns the bytes of a page, padded with zeros at the end of the file, or `nil` if the page does not exist.
  func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= count else { return nil }
    if let place = committed[number] { return Array(commits[place..<place + pageSize]) }
    let start = (number - 1) * pageSize
    guard start < file.count else { return nil }
    var bytes = Array(file[start..<min(file.count, start + pageSize)])
    bytes += Array(repeating: 0, count: pageSize - bytes.count)
    return bytes
  }

  /// Returns true if a page's checksum matches, or if pages have no checksums.
  func isSound(_ page: [UInt8]) -> Bool { usable == pageSize || page.withUnsafeBytes { PageChecksum.fits($0) } }

  /// Returns the unused pages of the log, which might contain compacted or erased data.
  func freePages() -> Set<Int> {
    guard hasHeader, let first = page(1) else { return [] }
    var free: Set<Int> = []
    var trunk = Self.word(first, 32)
    while trunk > 0, let page = page(trunk), free.insert(trunk).inserted {
      let leaves = min(Self.word(page, 4), (usable - 8) / 4)
      for index in 0..<max(0, leaves) { free.insert(Self.word(page, 8 + 4 * index)) }
      trunk = Self.word(page, 0)
    }
    return free
  }

  /// Records the offsets of the pages of all complete commits.
  private mutating func readCommits() {
    guard commits.count >= 32 else { return }
    let magic = Self.word(commits, 0)
    guard magic == 0x377F_0682 || magic == 0x377F_0683, Self.word(commits, 8) == pageSize else { return }
    let isBigEndian = magic == 0x377F_0683
    var sum: (UInt32, UInt32) = (0, 0)
    func add(_ range: Range<Int>) {
      func word(_ place: Int) -> UInt32 {
        let value = UInt32(truncatingIfNeeded: Self.word(commits, place))
        return isBigEndian ? value : value.byteSwapped
      }
      for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        sum.0 = sum.0 &+ word(place) &+ sum.1
        sum.1 = sum.1 &+ word(place + 4) &+ sum.0
      }
    }
    func fits(_ place: Int) -> Bool {
      Self.word(commits, place) == Int(sum.0) && Self.word(commits, place + 4) == Int(sum.1)
    }
    add(0..<24)
    guard fits(24) else { return }
    var pending: [Int: Int] = [:]
    var frame = 32
    while frame + 24 + pageSize <= commits.count {
      guard Self.word(commits, frame + 8) == Self.word(commits, 16),
        Self.word(commits, frame + 12) == Self.word(commits, 20)
      else { return }
      add(frame..<frame + 8)
      add(frame + 24..<frame + 24 + pageSize)
      guard fits(frame + 16) else { return }
      pending[Self.word(commits, frame)] = frame + 24
      let size = Self.word(commits, frame + 4)
      if size > 0 {
        committed.merge(pending) { _, new in new }
        pending = [:]
        count = size
      }
      frame += 24 + pageSize
    }
  }

  static func word(_ bytes: Data, _ place: Int) -> Int {
    let start = bytes.startIndex + place
    return bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  static func word(_ bytes: [UInt8], _ place: Int) -> Int {
    place + 4 <= bytes.count ? bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } : 0
  }
}
