import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The functions of the toolchain's index library that are used here, as its header `indexstore.h` declares them.
///
/// Each toolchain brings the library, but not for programs to link with it; so each function is looked up by its name.
struct IndexLibrary {
  typealias Object = UnsafeMutableRawPointer
  /// A text of the library is the address of bytes and their number, which is what an `iovec` is.
  typealias Text = iovec
  typealias Visit = @convention(c) (Object?, Object?) -> Bool
  typealias VisitName = @convention(c) (Object?, Text) -> Bool
  typealias TextOf = @convention(c) (Object) -> Text

  let openStore: @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Object?>?) -> Object?
  let closeStore: @convention(c) (Object) -> Void
  let units: @convention(c) (Object, UInt32, Object?, VisitName) -> Bool
  let timeOfUnit:
    @convention(c) (
      Object, UnsafePointer<CChar>, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>,
      UnsafeMutablePointer<Object?>?
    ) -> Bool
  let openUnit: @convention(c) (Object, UnsafePointer<CChar>, UnsafeMutablePointer<Object?>?) -> Object?
  let closeUnit: @convention(c) (Object) -> Void
  let moduleOfUnit: TextOf
  let fileOfUnit: TextOf
  let dependencies: @convention(c) (Object, Object?, Visit) -> Bool
  let kindOfDependency: @convention(c) (Object) -> Int32
  let nameOfDependency: TextOf
  let pathOfDependency: TextOf
  let openRecord: @convention(c) (Object, UnsafePointer<CChar>, UnsafeMutablePointer<Object?>?) -> Object?
  let closeRecord: @convention(c) (Object) -> Void
  let occurrences: @convention(c) (Object, Object?, Visit) -> Bool
  let symbolOfOccurrence: @convention(c) (Object) -> Object
  let rolesOfOccurrence: @convention(c) (Object) -> UInt64
  let lineOfOccurrence: @convention(c) (Object, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>) -> Void
  let nameOfSymbol: TextOf
  let usrOfSymbol: TextOf

  /// Loads a library.
  ///
  /// - Throws: An ``IndexProblem`` if it cannot be loaded or lacks a function.
  init(path: String) throws {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { throw IndexProblem("\(path) cannot be loaded") }
    // What is asked for says by its type how it is called; the header declares each so.
    func function<F>(_ name: String) throws -> F {
      guard let address = dlsym(library, "indexstore_" + name) else {
        throw IndexProblem("\(path) has no function indexstore_\(name)")
      }
      return unsafeBitCast(address, to: F.self)
    }
    openStore = try function("store_create")
    closeStore = try function("store_dispose")
    units = try function("store_units_apply_f")
    timeOfUnit = try function("store_get_unit_modification_time")
    openUnit = try function("unit_reader_create")
    closeUnit = try function("unit_reader_dispose")
    moduleOfUnit = try function("unit_reader_get_module_name")
    fileOfUnit = try function("unit_reader_get_main_file")
    dependencies = try function("unit_reader_dependencies_apply_f")
    kindOfDependency = try function("unit_dependency_get_kind")
    nameOfDependency = try function("unit_dependency_get_name")
    pathOfDependency = try function("unit_dependency_get_filepath")
    openRecord = try function("record_reader_create")
    closeRecord = try function("record_reader_dispose")
    occurrences = try function("record_reader_occurrences_apply_f")
    symbolOfOccurrence = try function("occurrence_get_symbol")
    rolesOfOccurrence = try function("occurrence_get_roles")
    lineOfOccurrence = try function("occurrence_get_line_col")
    nameOfSymbol = try function("symbol_get_name")
    usrOfSymbol = try function("symbol_get_usr")
  }

  /// The library of the toolchain that this process's standard library belongs to, or of the first `swift` in a shell;
  /// nil if there is none.
  static var path: String? {
    var folders: [URL] = []
    if let function = dlsym(dlopen(nil, RTLD_NOW), "swift_retain"), let file = imagePath(of: function) {
      // usr/lib/swift/linux/libswiftCore.so
      folders.append(URL(fileURLWithPath: file).deletingLastPathComponent().appending(path: "../.."))
    }
    for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
      let tool = URL(fileURLWithPath: "\(folder)/swift").resolvingSymlinksInPath()
      folders.append(tool.deletingLastPathComponent().appending(path: "../lib"))
    }
    #if canImport(Darwin)
      let developer =
        ProcessInfo.processInfo.environment["DEVELOPER_DIR"] ?? "/Applications/Xcode.app/Contents/Developer"
      folders.append(URL(fileURLWithPath: "\(developer)/Toolchains/XcodeDefault.xctoolchain/usr/lib"))
      let name = "libIndexStore.dylib"
    #else
      let name = "libIndexStore.so"
    #endif
    return folders.map { $0.appending(path: name).standardizedFileURL.path }
      .first { FileManager.default.fileExists(atPath: $0) }
  }
}

/// The path of the program or library that an address is in, nil if there is none.
func imagePath(of address: UnsafeRawPointer) -> String? {
  // Glibc's headers hide the function. What it writes are four addresses, and the first is that of the path.
  typealias Find = @convention(c) (UnsafeRawPointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
  guard let find = dlsym(dlopen(nil, RTLD_NOW), "dladdr") else { return nil }
  var image = [UnsafePointer<CChar>?](repeating: nil, count: 4)
  return unsafeBitCast(find, to: Find.self)(address, &image) == 0 ? nil : image[0].map { String(cString: $0) }
}

/// Why the index says nothing, as a sentence.
struct IndexProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
