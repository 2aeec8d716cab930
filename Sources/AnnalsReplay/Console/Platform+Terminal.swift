import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

extension Platform {
  /// The terminal of the process, taken over for a full screen: no line editing, no echo, another screen, no cursor.
  ///
  /// Whatever ends the process gives the terminal back as it was, but for SIGKILL.
  enum Terminal {
    /// What signals asked for.
    struct Signals {
      /// The status to end with.
      var end: ReplayError.Status?
      var isStopped = false
      var isContinued = false
      var isResized = false
    }

    private static let ended = Atomic<Int32>(0)
    private static let stopped = Atomic<Bool>(false)
    private static let continued = Atomic<Bool>(false)
    private static let resized = Atomic<Bool>(false)
    private static let isTaken = Atomic<Bool>(false)
    /// The end of a pipe that wakes who waits for keys, to write to and to read from.
    private static let wakeWrite = Atomic<Int32>(-1)
    private static let wakeRead = Atomic<Int32>(-1)
    /// How the terminal was.
    ///
    /// It is written before `isTaken` is set and the handlers are, and only read afterwards.
    nonisolated(unsafe) private static var saved = termios()

    // Another screen, no cursor, no wrapping at the right edge, pasted text between marks.
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    private static let restore: StaticString =
      "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2026l\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// The text that lets the terminal report the mouse, or leaves the mouse to the terminal.
    static func mouse(_ isReported: Bool) -> String {
      isReported ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l"
    }

    /// True if keys and screen are a terminal's.
    static var isThere: Bool { isTerminal(0) && isTerminal(1) }

    /// Takes the terminal over; false if it cannot be.
    static func enter() -> Bool {
      guard tcgetattr(0, &saved) == 0 else { return false }
      if wakeRead.load(ordering: .relaxed) < 0 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends {
          _ = fcntl(end, F_SETFD, FD_CLOEXEC)
          _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeRead.store(ends[0], ordering: .relaxed)
        wakeWrite.store(ends[1], ordering: .relaxed)
      }
      handleSignals()
      return resume()
    }

    /// Gives the terminal back.
    static func leave() {
      giveBack()
      for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH] + fatal { signal(number, SIG_DFL) }
    }

    /// Stops the process as Ctrl-Z does; returns when it goes on, false if the terminal cannot be taken again.
    static func suspend() -> Bool {
      giveBack()
      // Without a shell that could let it go on, the system does not stop it.
      signal(SIGTSTP, SIG_DFL)
      pthread_kill(pthread_self(), SIGTSTP)
      handleStop()
      guard tcgetattr(0, &saved) == 0 else { return false }
      return resume()
    }

    /// Takes the terminal over again, as after a stop that no one announced.
    static func resume() -> Bool {
      guard setRaw() else { return false }
      isTaken.store(true, ordering: .sequentiallyConsistent)
      return write(begin)
    }

    /// The size now; 80 × 24 if the terminal does not know.
    static var size: (columns: Int, rows: Int) {
      var size = winsize()
      guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
      // A size that no terminal has would ask for much memory.
      return (min(Int(size.ws_col), 1_000), min(Int(size.ws_row), 500))
    }

    /// What signals asked for since the last call.
    static func takeSignals() -> Signals {
      var signals = Signals()
      let number = ended.load(ordering: .relaxed)
      if number != 0 { signals.end = number == SIGINT ? .interrupted : .terminated }
      signals.isStopped = stopped.exchange(false, ordering: .relaxed)
      signals.isContinued = continued.exchange(false, ordering: .relaxed)
      signals.isResized = resized.exchange(false, ordering: .relaxed)
      return signals
    }

    /// Ends a wait for keys, from any thread.
    static func wake() {
      var byte: UInt8 = 0
      let descriptor = wakeWrite.load(ordering: .relaxed)
      #if canImport(Glibc)
        _ = Glibc.write(descriptor, &byte, 1)
      #elseif canImport(Musl)
        _ = Musl.write(descriptor, &byte, 1)
      #elseif canImport(Bionic)
        _ = Bionic.write(descriptor, &byte, 1)
      #elseif canImport(Darwin)
        _ = Darwin.write(descriptor, &byte, 1)
      #endif
    }

    /// True if a key waits to be read.
    static var hasInput: Bool {
      var request = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      return poll(&request, 1, 0) > 0
    }

    /// Waits for keys; true if there are bytes, or if the terminal is gone.
    ///
    /// - Parameter seconds: For how long at most; nil for ever.
    /// - Returns: True if a read does not wait.
    static func wait(_ seconds: Double?) -> Bool {
      let descriptor = wakeRead.load(ordering: .relaxed)
      var requests = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      // Half a minute at most, so that a signal that came before the wait is seen in any case.
      let limit = Int32((min(seconds ?? 30, 30) * 1_000).rounded(.up))
      guard poll(&requests, 2, limit) > 0 else { return false }
      if requests[1].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
      }
      return requests[0].revents != 0
    }

    /// The bytes that were typed; nil if the terminal is gone.
    static func read() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes.prefix(count)) : nil
      }
    }

    /// The bytes of the standard input that are there, after a wait for the first; none at its end.
    ///
    /// - Parameter most: How many bytes at most.
    /// - Returns: The bytes, and the error's number, 0 without one.
    static func readInput(_ most: Int) -> (bytes: [UInt8], error: Int32) {
      var bytes = [UInt8](repeating: 0, count: most)
      while true {
        let count = read(0, &bytes, most)
        if count >= 0 { return (Array(bytes.prefix(count)), 0) }
        if errno != EINTR { return ([], errno) }
      }
    }

    /// Writes a text; false if the terminal is gone.
    static func write(_ text: String) -> Bool {
      var text = text
      return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) }
    }

    private static func read(_ descriptor: Int32, _ bytes: inout [UInt8], _ count: Int) -> Int {
      bytes.withUnsafeMutableBytes { buffer in
        #if canImport(Glibc)
          Glibc.read(descriptor, buffer.baseAddress, count)
        #elseif canImport(Musl)
          Musl.read(descriptor, buffer.baseAddress, count)
        #elseif canImport(Bionic)
          Bionic.read(descriptor, buffer.baseAddress!, count)
        #elseif canImport(Darwin)
          Darwin.read(descriptor, buffer.baseAddress, count)
        #endif
      }
    }

    /// Writes all bytes, as a signal handler may too.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        #if canImport(Glibc)
          let count = Glibc.write(1, part.baseAddress, part.count)
        #elseif canImport(Musl)
          let count = Musl.write(1, part.baseAddress, part.count)
        #elseif canImport(Bionic)
          let count = Bionic.write(1, part.baseAddress!, part.count)
        #elseif canImport(Darwin)
          let count = Darwin.write(1, part.baseAddress, part.count)
        #endif
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          var request = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
          if poll(&request, 1, 1_000) > 0, Int32(request.revents) & Int32(POLLERR | POLLHUP | POLLNVAL) == 0 {
            continue
          }
        }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    private static func setRaw() -> Bool {
      var raw = saved
      cfmakeraw(&raw)
      // A process in the background is stopped here, and goes on when it comes to the front.
      while tcsetattr(0, TCSADRAIN, &raw) != 0 { if errno != EINTR { return false } }
      return true
    }

    /// Gives the terminal back, once; a signal handler calls it too, so it allocates nothing.
    private static func giveBack() {
      guard isTaken.exchange(false, ordering: .sequentiallyConsistent) else { return }
      restore.withUTF8Buffer { _ = writeAll(UnsafeRawBufferPointer($0)) }
      tcsetattr(0, TCSADRAIN, &saved)
    }

    /// The signals of a program error.
    private static var fatal: [Int32] { [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] }

    private static func handleStop() {
      signal(SIGTSTP) { _ in
        Terminal.stopped.store(true, ordering: .relaxed)
        Terminal.wake()
      }
    }

    private static func handleSignals() {
      // The parent may have blocked these signals, and a process inherits that.
      var signals = sigset_t()
      sigemptyset(&signals)
      for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH, SIGCONT] { sigaddset(&signals, number) }
      for number in [SIGINT, SIGTERM, SIGHUP] {
        signal(number) {
          Terminal.ended.store($0, ordering: .relaxed)
          Terminal.wake()
        }
      }
      handleStop()
      signal(SIGCONT) { _ in
        Terminal.continued.store(true, ordering: .relaxed)
        Terminal.wake()
      }
      signal(SIGWINCH) { _ in
        Terminal.resized.store(true, ordering: .relaxed)
        Terminal.wake()
      }
      for number in fatal {
        signal(number) { number in
          Terminal.giveBack()
          // The handler is gone for the second time, which ends the process as without it.
          signal(number, SIG_DFL)
          raise(number)
        }
      }
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
  }
}
