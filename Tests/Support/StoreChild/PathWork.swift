import Annals
import AnnalsSQLite
import Foundation

/// Work on paths and limits, which concerns a whole process.
enum PathWork {
  private static func ensure(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
    if !isTrue { throw StoreChild.Problem(what()) }
  }

  private static func event() -> NewEvent { NewEvent(type: "T", payload: "{}") }

  private static func change(to folder: String) throws {
    try ensure(FileManager.default.changeCurrentDirectoryPath(folder), "cannot change to \(folder)")
  }

  /// Opens logs by relative paths of all kinds, changes the working folder, and uses them.
  static func move(_ folder: String) throws {
    let files = FileManager.default
    for name in ["a", "a/deep", "b", "gone"] {
      try files.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: false)
    }
    try files.createSymbolicLink(atPath: folder + "/a/link", withDestinationPath: "../b/target")
    try files.createSymbolicLink(atPath: folder + "/a/folder", withDestinationPath: "../b")
    // The process moves to a folder with another log of the same name.
    for name in ["b/log", "b/link"] {
      let other = try SQLiteEventStore(path: folder + "/" + name)
      try other.append(Append([event()], to: "other"))
      other.close()
    }
    for path in ["log", "./log2", "deep/../log3", "../a/deep/log4", "link", "folder/log5", "folder/../up"] {
      try change(to: folder + "/a")
      let store = try SQLiteEventStore(path: path)
      let reader = try SQLiteEventStore(readingFrom: path)
      try store.append(Append([event()], to: "s"))
      let token = reader.externalWriters?.announce()
      for place in [folder + "/b", "/"] {
        try change(to: place)
        try store.append(Append([event()], to: "s"))
        _ = try store.checkpoints?.setCheckpoint(named: "f-\(place)", to: 1, from: nil)
        try ensure(try store.head() == reader.head(), "\(path): the reader is behind")
        // Connections that are opened only now.
        try store.read { outer in
          try store.read { try ensure(try outer.head() == $0.head(), "\(path)") }
        }
        try ensure(store.verify().isSound, "\(path): is not sound")
      }
      try ensure(store.head() == 3, "\(path): lacks an append")
      // A copy's path is relative to the folder of the call, also if the folder changes while it is made.
      try change(to: folder + "/b")
      try store.backUp(to: "copy") { _ in _ = FileManager.default.changeCurrentDirectoryPath("/") }
      try ensure(files.fileExists(atPath: folder + "/b/copy"), "\(path): the copy is elsewhere")
      try files.removeItem(atPath: folder + "/b/copy")
      withExtendedLifetime(token) {}
      reader.close()
      store.close()
    }
    try keepNoticing(folder)
    try loseFolder(folder)
    StoreChild.say("right")
  }

  /// A link that is set elsewhere, and a log that is replaced, are noticed.
  private static func keepNoticing(_ folder: String) throws {
    let files = FileManager.default
    try change(to: folder + "/a")
    let linked = try SQLiteEventStore(path: "link")
    let store = try SQLiteEventStore(path: "replaced")
    try store.append(Append([event()], to: "s"))
    try change(to: "/")
    try files.removeItem(atPath: folder + "/a/link")
    try files.createSymbolicLink(atPath: folder + "/a/link", withDestinationPath: "log")
    try files.removeItem(atPath: folder + "/a/replaced")
    for (store, name) in [(linked, "link"), (store, "replaced")] {
      do {
        try store.append(Append([event()], to: "s"))
        throw StoreChild.Problem("\(name): was not noticed")
      } catch let error as EventStoreError {
        try ensure(error.code == .replaced && error.message.hasPrefix(folder + "/a/" + name + ":"), "\(error)")
      }
    }
  }

  /// A working folder that is removed.
  private static func loseFolder(_ folder: String) throws {
    try change(to: folder + "/gone")
    let store = try SQLiteEventStore(path: "../b/kept")
    try FileManager.default.removeItem(atPath: folder + "/gone")
    for open in [{ _ = try SQLiteEventStore(path: "log") }, { try store.backUp(to: "copy") }] {
      do {
        try open()
        throw StoreChild.Problem("a log is opened in a folder that was removed")
      } catch let error as EventStoreError {
        try ensure(error.message.contains("pass an absolute path"), "\(error)")
      }
    }
    try change(to: "/")
    try store.append(Append([event()], to: "s"))
    try ensure(store.head() == 1, "the log is lost with the folder")
  }

  /// Opens logs until the process may open no more files.
  static func openTooMany(_ folder: String) throws {
    let first = try SQLiteEventStore(path: folder + "/log", observesExternalWriters: false)
    try first.append(Append([event()], to: "s"))
    var held: [SQLiteEventStore] = []
    var errors: Set<String> = []
    // The failing call depends on the number of files that are left.
    for number in 0..<12 {
      var files: [FileHandle] = []
      while let file = FileHandle(forReadingAtPath: "/dev/null") { files.append(file) }
      for file in files.suffix(number) { try file.close() }
      let path = folder + "/new-\(number)"
      for work in [
        { held.append(try SQLiteEventStore(path: path, observesExternalWriters: false)) },
        { held.append(try SQLiteEventStore(readingFrom: folder + "/log", observesExternalWriters: false)) },
        { try first.backUp(to: folder + "/copy-\(number)") },
        { try first.read { _ in try first.read { _ = try $0.head() } } },
      ] {
        do { try work() } catch let error as EventStoreError {
          errors.insert(error.message)
          try ensure(
            error.message.contains("too many files open") && error.message.contains("ulimit -n"),
            "\(number): \(error.message)")
        }
      }
      for file in files.dropLast(number) { try file.close() }
      for store in held { store.close() }
      held = []
      try first.append(Append([event()], to: "s"))
    }
    try ensure(!errors.isEmpty, "no call failed")
    try ensure(first.verify().isSound, "is not sound")
    StoreChild.say("right")
  }

  /// Appends until the file may not grow, and prints the error.
  static func grow(_ path: String) throws {
    let store = try SQLiteEventStore(path: path)
    let text = "\"" + String(repeating: "x", count: 20_000) + "\""
    do {
      while true { try store.append(Append([NewEvent(type: "T", payload: text)], to: "s")) }
    } catch let error as EventStoreError { StoreChild.say(error.message) }
  }

  /// Opens files and folders that another user may not use.
  static func beRefused(_ folder: String) throws {
    let files = FileManager.default
    let closed = folder + "/closed"
    try files.createDirectory(atPath: closed, withIntermediateDirectories: false)
    for path in [closed + "/log", folder + "/log"] { try SQLiteEventStore(path: path).close() }
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/log")
    try ensure(setgid(65_534) == 0 && setuid(65_534) == 0, "cannot become another user")
    let works: [() throws -> Void] = [
      { _ = try SQLiteEventStore(path: closed + "/log") },
      { _ = try SQLiteEventStore(readingFrom: closed + "/log") },
      { _ = try SQLiteEventStore(readingFrom: closed + "/none") },
      { _ = try SQLiteEventStore(path: folder + "/log") },
      { _ = try SQLiteEventStore(readingFrom: folder + "/log") },
      { _ = try SQLiteEventStore(path: folder + "/new") },
    ]
    for (number, work) in works.enumerated() {
      do {
        try work()
        throw StoreChild.Problem("\(number): is permitted")
      } catch let error as EventStoreError {
        try ensure(error.message.contains("this user isn't permitted"), "\(number): \(error.message)")
      }
    }
    StoreChild.say("right")
  }
}
