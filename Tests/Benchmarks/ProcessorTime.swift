import Foundation

/// The processor time of this process, all threads together, for each of some operations, in nanoseconds.
///
/// Other processes cannot blur it as they blur the time that passes, and a disk that is waited for does not count.
///
/// - Parameters:
///   - count: The number of operations in the work.
///   - work: Performs all of them.
/// - Returns: The time divided by the count.
func processorNanoseconds(per count: Int = 1, _ work: () throws -> Void) rethrows -> Double {
  let start = processorNanoseconds()
  try InstructionCount.perform(count, work)
  return (processorNanoseconds() - start) / Double(count)
}

/// The processor time of this process since its start, in nanoseconds.
func processorNanoseconds() -> Double { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

/// The processor time that the calling thread needs for some work, in nanoseconds.
func threadNanoseconds(_ work: () throws -> Void) rethrows -> Double {
  let start = nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
  try work()
  return nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - start
}

private func nanoseconds(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The processor time of a command that runs in another process, in nanoseconds.
///
/// - Parameter words: The command, found as a shell finds it, and its words.
/// - Returns: The time.
/// - Throws: If it cannot be started, or fails.
func processorNanoseconds(ofCommand words: [String]) throws -> Double {
  let before = childNanoseconds()
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw BenchmarksTool.Usage(message: "\(words[0]) is needed and ended with the status \(process.terminationStatus)")
  }
  return childNanoseconds() - before
}

/// The processor time of all processes that this one has started and that have ended.
private func childNanoseconds() -> Double {
  var usage = rusage()
  #if canImport(Darwin)
    getrusage(RUSAGE_CHILDREN, &usage)
  #else
    getrusage(RUSAGE_CHILDREN.rawValue, &usage)
  #endif
  func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
}

/// The most memory that the process had at any time, in bytes.
func peakBytes() -> Int {
  #if canImport(Darwin)
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
  #else
    // getrusage(2) would also count the memory of the process that started this one, because it was copied for it.
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    // proc(5): in kilobytes.
    return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
  #endif
}
