import Foundation
import Synchronization

/// A library that returns a different time from the system's, for a process that loads it.
///
/// It is compiled with the local C compiler, once per process.
enum ClockLibrary {
  private static let known = Mutex<Result<String, CheckError>?>(nil)

  private static let folderToRemove = Mutex<URL?>(nil)

  /// Returns the library's path.
  ///
  /// - Throws: ``CheckError`` if no compiler is found, or if the compiler fails.
  static func path() throws -> String {
    try known.withLock { known in
      let result = known ?? make()
      known = result
      return result
    }.get()
  }

  private static func make() -> Result<String, CheckError> {
    #if os(macOS) || os(Linux)
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      let found = ["cc", "clang", "gcc"].lazy.flatMap { name in folders.map { "\($0)/\(name)" } }.first {
        FileManager.default.isExecutableFile(atPath: $0)
      }
      guard let compiler = found else {
        return .failure(
          CheckError(
            description: "expected a C compiler (cc, clang or gcc) in a folder of `PATH`, found none. Install "
              + "a C compiler"))
      }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("annals-clock-\(UUID().uuidString)")
      folderToRemove.withLock { $0 = folder }
      // Other processes load the library until this process exits.
      atexit {
        if let folder = ClockLibrary.folderToRemove.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
      }
      let (source, library) = (folder.appendingPathComponent("clock.c"), folder.appendingPathComponent("clock.so"))
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(code.utf8).write(to: source)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: compiler)
        process.arguments = ["-shared", "-fPIC", "-O1", "-o", library.path, source.path, "-ldl"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
          return .failure(CheckError(description: "\(compiler) can't compile \(source.path)"))
        }
        return .success(library.path)
      } catch {
        return .failure(
          CheckError(
            description: "the library that changes a process's clock can't be created in \(folder.path): \(error)"))
      }
    #else
      return .failure(CheckError(description: "the clock can be replaced only on Linux and macOS"))
    #endif
  }

  private static let code = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <sys/time.h>
    #include <time.h>

    static long long ahead(void) {
      const char *text = getenv("ANNALS_CLOCK");
      return text ? atoll(text) : 0;
    }

    #ifdef __APPLE__
    #define REPLACES(name) \\
      __attribute__((used, section("__DATA,__interpose"))) \\
      static struct { const void *mine, *theirs; } place_##name = { (const void *)&other_##name, (const void *)&name };
    #define DEFINED(name) other_##name
    #define SYSTEMS(name) name
    #else
    #define REPLACES(name)
    #define DEFINED(name) name
    #define SYSTEMS(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
    #endif

    int DEFINED(clock_gettime)(clockid_t clock, struct timespec *time) {
      int result = SYSTEMS(clock_gettime)(clock, time);
      if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += ahead();
      return result;
    }
    REPLACES(clock_gettime)

    #ifdef __APPLE__
    int other_gettimeofday(struct timeval *restrict now, void *restrict zone)
    #else
    int gettimeofday(struct timeval *restrict now, void *restrict zone)
    #endif
    {
      int result = SYSTEMS(gettimeofday)(now, zone);
      if (result == 0 && now) now->tv_sec += ahead();
      return result;
    }
    REPLACES(gettimeofday)

    time_t DEFINED(time)(time_t *place) {
      struct timeval now;
      SYSTEMS(gettimeofday)(&now, 0);
      time_t result = now.tv_sec + ahead();
      if (place) *place = result;
      return result;
    }
    REPLACES(time)

    """
}
