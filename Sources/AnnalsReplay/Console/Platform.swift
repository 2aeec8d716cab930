#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// What each system's C library says in its own way.
enum Platform {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }

  /// Gives closed ones of the three standard channels to /dev/null, so that no log gets their numbers.
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

  /// The error number of a write to a pipe that nobody reads.
  static let brokenPipe = EPIPE
}
