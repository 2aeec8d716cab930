import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// The C library's `rename`, which a member of the same name would hide.
private func renameFile(_ path: String, _ other: String) -> Int32 { rename(path, other) }

/// What each system's C library spells in its own way.
enum Platform {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Makes writing to a reader that has gone away an error, instead of the process's end.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// The size of a terminal now, in columns and rows; nil if the descriptor is none, or if it has no size.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The file at a path, through links; nil if there is nothing.
  static func file(_ path: String) -> (size: Int, isRegular: Bool, isFolder: Bool)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let kind = status.st_mode & S_IFMT
    return (Int(status.st_size), kind == S_IFREG, kind == S_IFDIR)
  }

  /// The error for a file that cannot be found, with the system's cause if that is another one than its absence.
  static func missing(_ path: String) -> ReplayError {
    var status = stat()
    let code = stat(path, &status) == 0 ? ENOENT : errno
    return ReplayError(
      .inputOutput,
      code == ENOENT
        ? "\(path): the file doesn't exist. Check the path" : "\(path): cannot be read: \(words(for: code))")
  }

  /// Gives a file another's name, which it takes the place of.
  static func rename(_ path: String, to other: String) throws {
    guard renameFile(path, other) != 0 else { return }
    throw ReplayError(.inputOutput, "\(other): cannot be replaced: \(String(cString: strerror(errno)))")
  }

  /// True if no reader gets what you write to a descriptor: its pipe was closed, or its terminal is gone.
  static func isGone(_ descriptor: Int32) -> Bool {
    // The request asks for no event. The system reports in any case that the other end is gone.
    var request = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&request, 1, 0) > 0 && Int32(request.revents) & Int32(POLLERR | POLLHUP | POLLNVAL) != 0
  }

  /// True if you can read from a descriptor without waiting: there are bytes, or its end.
  static func isReady(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) != 0
  }

  /// Waits until you can read from a descriptor, and throws ``Ended`` if a signal asks the process to end meanwhile.
  ///
  /// A signal doesn't interrupt `read`, because the system restarts the call.
  static func waitUnlessEnded(for descriptor: Int32) throws {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      if EndSignal.status != nil { throw Ended() }
      let ready = poll(&request, 1, 100)
      // If polling fails, reading finds the reason.
      if ready > 0 || ready < 0 && errno != EINTR { return }
    }
  }

  static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }

  /// Opens /dev/null for those of the three standard channels that are closed, so that no log gets their numbers.
  static func holdChannels() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      if descriptor > 2 {
        close(descriptor)
        return
      }
      if descriptor < 0 { return }
    }
  }

  /// Writes all data to a descriptor; returns the system's error number, or 0.
  static func writeAll(_ data: Data, to descriptor: Int32) -> Int32 {
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
      }
      return 0
    }
  }

  /// How much a pipe that has room takes without making its writer wait (PIPE_BUF).
  #if canImport(Darwin)
    private static let pipeRoom = 512
  #else
    private static let pipeRoom = 4_096
  #endif

  /// Writes data as `writeAll(_:to:)` does, and throws ``Ended`` if a signal asked the process to end meanwhile.
  ///
  /// A reader that has stopped reading would otherwise keep the process, and what it has open, until it is killed.
  static func writeUnlessEnded(_ data: Data, to descriptor: Int32) throws -> Int32 {
    // A file on a disk never makes its writer wait for a reader.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return writeAll(data, to: descriptor) }
    var rest = data[...]
    while !rest.isEmpty {
      if EndSignal.status != nil { throw Ended() }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = poll(&request, 1, 100)
      // Any other error is what writing finds.
      if ready == 0 || ready < 0 && errno == EINTR { continue }
      let part = rest.prefix(pipeRoom)
      let error = writeAll(part, to: descriptor)
      if error != 0 { return error }
      rest = rest.dropFirst(part.count)
    }
    return 0
  }

  /// What the system calls an error.
  static func words(for error: Int32) -> String { String(cString: strerror(error)) }

  /// Puts a file at another path, at once.
  ///
  /// - Returns: The number of the error; nil if it is there.
  static func put(_ path: String, at target: String, replacing: Bool) -> Int32? {
    // A link fails where there is a file; it leaves the first name, which is then removed.
    let result = replacing ? renameFile(path, target) : link(path, target)
    return result == 0 ? nil : errno
  }

  /// The error number of a file that is there already.
  static let alreadyThere = EEXIST

  /// The error number of a write to a pipe that has no reader.
  static let brokenPipe = EPIPE
}
