import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The compiler's notes about each source file from the build of the tests: what the file declares, and what it uses.
///
/// The compiler writes a unit for each file that it compiles, and leaves the units of deleted files. A unit is used
/// only if it is the newest one of an existing file, and not older than the file.
struct CompilerIndex: Sendable {
  struct Declaration: Sendable {
    let name: String
    let line: Int
    let column: Int
  }

  struct File: Sendable {
    let module: String
    /// What the file declares, by the identifiers that the compiler gives declarations of all modules.
    fileprivate(set) var declarations: [String: Declaration] = [:]
    /// The identifiers of what the file uses.
    fileprivate(set) var uses: Set<String> = []
  }

  /// The files by their paths from the package's folder.
  let files: [String: File]
  /// Where each identifier is declared.
  private let places: [String: String]

  /// Reads an index.
  ///
  /// - Parameters:
  ///   - store: The folder of the index.
  ///   - library: The path of the toolchain's library.
  ///   - root: The package's folder.
  ///   - sources: When each file was changed last, by its path from that folder.
  /// - Throws: An ``IndexProblem`` if the index cannot be read, or is older than the sources.
  init(store: String, library: String, root: String, sources: [String: Date]) throws {
    let library = try IndexLibrary(path: library)
    guard let index = library.openStore(store, nil) else { throw IndexProblem("there is no index in \(store)") }
    defer { library.closeStore(index) }
    var files: [String: File] = [:]
    for (path, unit) in library.newestUnits(of: index, in: root, sources) {
      // The file system's clock may be coarser than the compiler's.
      if let changed = sources[path], changed.timeIntervalSince1970 > unit.time + 0.01 {
        throw IndexProblem("\(path) was changed after the index was written: build the tests again")
      }
      files[path] = try library.file(unit, of: index)
    }
    for path in sources.keys.sorted() where files[path] == nil {
      throw IndexProblem("\(path) is not in the index: build the tests again, or remove .build and build them")
    }
    self.files = files
    places = Dictionary(
      files.flatMap { path, file in file.declarations.keys.map { ($0, path) } }, uniquingKeysWith: { min($0, $1) })
  }

  /// Each use of what another file of the package declares.
  func uses() -> [(user: String, file: String, declaration: Declaration)] {
    files.sorted { $0.key < $1.key }.flatMap { user, content in
      content.uses.compactMap { identifier in
        guard let file = places[identifier], file != user, let declaration = files[file]?.declarations[identifier]
        else {
          return nil
        }
        return (user, file, declaration)
      }
    }
  }
}

/// A unit of the index, the compiler's note of one compilation of one file.
private struct Unit {
  let module: String
  let time: Double
  /// The names of what is recorded of the file.
  let records: [String]
}

extension IndexLibrary {
  fileprivate static let reference: UInt64 = 1 << 2
  fileprivate static let definition: UInt64 = 1 << 1
  fileprivate static let recordDependency: Int32 = 2

  /// The newest unit of each of some files.
  fileprivate func newestUnits(of index: Object, in root: String, _ sources: [String: Date]) -> [String: Unit] {
    var newest: [String: Unit] = [:]
    for name in names(of: index) {
      var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
      guard !timeOfUnit(index, name, &seconds, &nanoseconds, nil), let reader = openUnit(index, name, nil) else {
        continue
      }
      defer { closeUnit(reader) }
      let file = string(fileOfUnit(reader))
      guard file.hasPrefix(root + "/") else { continue }
      let path = String(file.dropFirst(root.count + 1))
      let time = Double(seconds) + Double(nanoseconds) / 1e9
      if sources[path] == nil || newest[path].map({ $0.time >= time }) ?? false { continue }
      var records: [String] = []
      visit({ _ = dependencies(reader, $0, $1) }) { dependency in
        if kindOfDependency(dependency) == Self.recordDependency, string(pathOfDependency(dependency)) == file {
          records.append(string(nameOfDependency(dependency)))
        }
      }
      newest[path] = Unit(module: string(moduleOfUnit(reader)), time: time, records: records)
    }
    return newest
  }

  /// What is recorded of a file.
  fileprivate func file(_ unit: Unit, of index: Object) throws -> CompilerIndex.File {
    var file = CompilerIndex.File(module: unit.module)
    for record in unit.records {
      guard let reader = openRecord(index, record, nil) else { throw IndexProblem("the index lost \(record)") }
      defer { closeRecord(reader) }
      visit({ _ = occurrences(reader, $0, $1) }) { occurrence in
        let (symbol, roles) = (symbolOfOccurrence(occurrence), rolesOfOccurrence(occurrence))
        if roles & Self.definition != 0 {
          var (line, column): (UInt32, UInt32) = (0, 0)
          lineOfOccurrence(occurrence, &line, &column)
          file.declarations[string(usrOfSymbol(symbol))] = CompilerIndex.Declaration(
            name: string(nameOfSymbol(symbol)), line: Int(line), column: Int(column))
        } else if roles & Self.reference != 0 {
          file.uses.insert(string(usrOfSymbol(symbol)))
        }
      }
    }
    return file
  }

  /// The names of all units.
  private func names(of index: Object) -> [String] {
    var names: [String] = []
    withUnsafeMutablePointer(to: &names) { names in
      _ = units(index, 1, names) { context, name in
        context?.assumingMemoryBound(to: [String].self).pointee.append(string(name))
        return true
      }
    }
    return names
  }

  /// Calls a function of the library that calls back for each of some objects; each is there only while the body runs.
  private func visit(_ call: (Object, Visit) -> Void, _ body: (Object) -> Void) {
    withoutActuallyEscaping(body) { body in
      var body = body
      withUnsafeMutablePointer(to: &body) { body in
        call(body) { context, object in
          if let object { context?.assumingMemoryBound(to: ((Object) -> Void).self).pointee(object) }
          return true
        }
      }
    }
  }
}

private func string(_ text: IndexLibrary.Text) -> String {
  String(decoding: UnsafeRawBufferPointer(start: text.iov_base, count: text.iov_len), as: UTF8.self)
}
