import Annals
import Foundation

extension Figure {
  /// The memory of lists.
  static var memory: [Figure] {
    [
      Figure(
        "row-memory", rows: 200_000, "memory of a row with two strings in a list",
        of: .memory, .value(atMost: 220)
      ) { Contest { try bytes("rows") } },
      Figure(
        "snapshot-memory", rows: 100_000, "memory per list if 10,000 lists are kept, one event apart", of: .memory,
        .value(atMost: 8_000)
      ) { Contest { try bytes("snapshots") } },
    ]
  }

  /// Measures in a separate process.
  ///
  /// In this one, memory that others released would be reused and not counted.
  static func bytes(_ what: String...) throws -> Double { try number(of: ["memory"] + what) }

  /// Runs a subcommand in a separate process.
  ///
  /// - Parameters:
  ///   - words: The words of the subcommand.
  ///   - runner: A command that gets these words, by default this program.
  /// - Returns: The standard output.
  /// - Throws: An error if the process can't be started.
  static func output(of words: [String], by runner: [String] = []) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = runner.isEmpty ? Bundle.main.executableURL : URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = runner + words
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  /// The number that a subcommand prints in a separate process.
  static func number(of words: [String]) throws -> Double {
    let text = try output(of: words)
    guard let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchmarksTool.Usage(
        message: "\(words.joined(separator: " ")): expected a number, found \"\(text)\"")
    }
    return number
  }
}

extension BenchmarksTool.Subcommand {
  /// The memory of one thing, measured once.
  static var memory: Self {
    Self(
      "memory",
      "bytes of memory for one of: rows, snapshots, lists COUNT, saved-list LOG, whole-list LOG, scrolled-list LOG, "
        + "built-list LOG; for figures"
    ) { words in
      let before: Int
      let count: Double
      switch words {
      case ["rows"]:
        // The strings of the rows count, since nothing else holds them; the array that the rows come in does not.
        before = settledBytes()
        let engine = ListEngine(ListWorkload.wares(200_000, shelves: 100))
        count = 200_000
        print(Double(settledBytes() - before) / count)
        keep(engine.results.count)
      case ["snapshots"]:
        let engine = ListEngine(ListWorkload.wares(100_000, shelves: 100))
        var held: [Results<Ware>] = []
        held.reserveCapacity(10_000)
        before = residentBytes()
        for _ in 0..<10_000 {
          engine.change()
          held.append(engine.results)
        }
        count = 10_000
        print(Double(residentBytes() - before) / count)
        keep(held.count)
      case ["lists", words.last ?? ""]:
        let log = try SharedLists(rows: 100_000)
        before = residentBytes()
        let lists = try log.open(Int(words[1]) ?? 1)
        print(residentBytes() - before)
        keep(lists.map { $0.results.rows.count })
      case ["saved-list", words.last ?? ""], ["whole-list", words.last ?? ""]:
        before = residentBytes()
        let isSaved = words[0] == "saved-list"
        let list = try WareLog.start(words[1], cacheName: isSaved ? WareLog.cacheName : nil)
        // Some screens across the list, as when a user scrolls.
        if isSaved {
          for start in stride(from: 0, to: list.results.rows.count, by: 50_000) {
            for row in start..<start + 20 { keep(list.results.rows[row]) }
          }
        }
        print(residentBytes() - before)
        keep(list.results.count)
      case ["scrolled-list", words.last ?? ""], ["built-list", words.last ?? ""]:
        before = residentBytes()
        let list = try WareLog.shown(words[1], isBuilt: words[0] == "built-list")
        print(settledBytes() - before)
        keep(list.results.count)
      default:
        let found = words.joined(separator: " ")
        throw BenchmarksTool.Usage(
          message: "memory: expected rows, snapshots, lists COUNT, saved-list LOG, whole-list LOG, scrolled-list LOG "
            + "or built-list LOG, found \"\(found)\"")
      }
      return 0
    }
  }
}

/// The memory that the process has once nothing more is freed: what is let go of is freed on another thread.
func settledBytes() -> Int {
  var (last, now) = (Int.max, residentBytes())
  while now < last - last / 100 {
    last = now
    Thread.sleep(forTimeInterval: 0.5)
    trim()
    now = residentBytes()
  }
  return now
}

/// Gives memory that was let go of back to the system: what is left is in use.
func trim() {
  // glibc's malloc keeps it otherwise; malloc_trim(3) is in no module map.
  guard let found = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
  typealias Trim = @convention(c) (Int) -> Int32
  _ = unsafeBitCast(found, to: Trim.self)(0)
}

/// The memory that the process has now, without pages of files, in bytes.
func residentBytes() -> Int {
  #if canImport(Darwin)
    var info = mach_task_basic_info()
    var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
    let status = withUnsafeMutablePointer(to: &info) {
      $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
        task_info(task_self_trap(), task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
      }
    }
    return status == KERN_SUCCESS ? Int(info.resident_size) : 0
  #else
    // proc(5): the second number is the resident set, the third its part that is pages of files, both in pages. Those
    // of files are mostly the program's own code, and each kind of work reads in some more of it.
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let numbers = text.split(separator: " ").map { Int($0) ?? 0 }
    let pages = numbers.count > 2 ? numbers[1] - numbers[2] : 0
    return pages * 4_096
  #endif
}
