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

  /// Hears of the signals that end a process, so that it can close what it has open first.
  struct EndSignal {
    private static let received = Atomic<Int32>(0)

    init() {
      for number in [SIGINT, SIGTERM] {
        signal(number) { EndSignal.received.store($0, ordering: .relaxed) }
      }
    }

    /// What the process is to end with, once it was told to end.
    var status: ReplayError.Status? {
      switch Self.received.load(ordering: .relaxed) {
      case 0: nil
      case SIGINT: .interrupted
      default: .terminated
      }
    }
  }
}
