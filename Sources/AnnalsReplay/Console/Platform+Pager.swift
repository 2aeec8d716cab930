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

extension Platform {
  /// True if a shell would find a program of that name.
  static func finds(_ program: String, on path: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    return path.split(separator: ":", omittingEmptySubsequences: false).contains { folder in
      let place = (folder.isEmpty ? "." : folder) + "/" + program
      return file(place)?.isRegular ?? false && access(place, X_OK) == 0
    }
  }

  /// Starts a shell's command whose input is what you write; nil if it cannot be started.
  ///
  /// It is one of the terminal's foreground programs, as it must be to read the keyboard; `Foundation.Process` would
  /// make it a background one. A signal that ends this process ends what it reads and writes at once, so that its logs
  /// are closed, and the process itself after the pager: two programs that read one keyboard would each get half of it.
  static func pager(_ command: String, _ environment: [String: String]) -> Pager? {
    guard let (end, process) = shell(command, environment) else { return nil }
    PagerSignal.hold()
    return Pager(
      write: { data in
        // Whatever keeps it from reading, it gets no more.
        if try Platform.writeUnlessEnded(data, to: end) != 0 { throw Pager.Quit() }
      },
      end: {
        close(end)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        PagerSignal.release()
      })
  }

  /// Starts a shell's command; returns where you write its input, and the number of its process.
  private static func shell(_ command: String, _ environment: [String: String]) -> (end: Int32, process: pid_t)? {
    #if os(macOS) || os(Linux) || os(Android)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return nil }
      // If the program had the end to write, its input would never end.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      #if canImport(Darwin) || canImport(Bionic)
        var actions: posix_spawn_file_actions_t?
      #else
        var actions = posix_spawn_file_actions_t()
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
      func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
      let words = copies(["sh", "-c", command])
      let variables = copies(environment.map { "\($0.key)=\($0.value)" })
      defer { for text in words + variables { free(text) } }
      var process: pid_t = 0
      let error = posix_spawn(&process, "/bin/sh", &actions, nil, words, variables)
      close(ends[0])
      if error == 0 { return (ends[1], process) }
      close(ends[1])
    #endif
    return nil
  }

  /// The signals while a pager has the terminal.
  private enum PagerSignal {
    static func hold() {
      // A write to a pager that has ended is an error, and not the end of this process.
      signal(SIGPIPE, SIG_IGN)
      // However often you interrupt the pager's own search, you get the terminal back from it alone.
      for number in [SIGINT, SIGTERM] { signal(number) { EndSignal.note($0) } }
    }

    static func release() {
      for number in [SIGINT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
    }
  }
}
