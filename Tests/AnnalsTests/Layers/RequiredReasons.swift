#if os(macOS) || os(Linux)
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #endif

  /// The declarations for which Apple requires reasons in a privacy manifest, by category.
  ///
  /// The list is Apple's page "Describing use of required reason API".
  enum RequiredReasons {
    private static let prefix = "NSPrivacyAccessedAPICategory"

    /// The reasons that Apple approves, by category.
    static let reasons: [String: Set<String>] = [
      "FileTimestamp": ["DDA9.1", "C617.1", "3B52.1", "0A2A.1"],
      "SystemBootTime": ["35F9.1", "8FFB.1", "3D61.1"],
      "DiskSpace": ["85F4.1", "E174.1", "7D9E.1", "B728.1"],
      "ActiveKeyboards": ["3EC4.1", "54BD.1"],
      "UserDefaults": ["CA92.1", "1C8F.1", "C56D.1", "AC6B.1"],
    ]

    /// C functions.
    ///
    /// `getattrlist` and two of its variants are in two categories. The first category is reported.
    private static let functions = [
      "FileTimestamp": [
        "stat", "fstat", "lstat", "fstatat", "getattrlist", "getattrlistbulk", "fgetattrlist", "getattrlistat",
      ],
      "SystemBootTime": ["mach_absolute_time"],
      "DiskSpace": ["statfs", "fstatfs", "statvfs", "fstatvfs"],
    ]

    /// Members of Foundation's and UIKit's types, by the names in Swift and in Objective-C.
    private static let members =
      [
        "FileTimestamp": [
          "creationDate": "NSFileCreationDate", "modificationDate": "NSFileModificationDate",
          "fileModificationDate": "fileModificationDate", "creationDateKey": "NSURLCreationDateKey",
          "contentModificationDateKey": "NSURLContentModificationDateKey", "contentModificationDate": nil,
        ],
        "SystemBootTime": ["systemUptime": "systemUptime"],
        "DiskSpace": [
          "systemFreeSize": "NSFileSystemFreeSize", "systemSize": "NSFileSystemSize",
          "volumeAvailableCapacityKey": "NSURLVolumeAvailableCapacityKey",
          "volumeAvailableCapacityForImportantUsageKey": "NSURLVolumeAvailableCapacityForImportantUsageKey",
          "volumeAvailableCapacityForOpportunisticUsageKey": "NSURLVolumeAvailableCapacityForOpportunisticUsageKey",
          "volumeTotalCapacityKey": "NSURLVolumeTotalCapacityKey", "volumeAvailableCapacity": nil,
          "volumeAvailableCapacityForImportantUsage": nil, "volumeAvailableCapacityForOpportunisticUsage": nil,
          "volumeTotalCapacity": nil,
        ],
        "ActiveKeyboards": ["activeInputModes": "activeInputModes"],
        "UserDefaults": ["UserDefaults": "OBJC_CLASS_$_NSUserDefaults"],
      ] as [String: [String: String?]]

    private static let byFunction: [String: String] = {
      var names: [String: String] = [:]
      for (category, functions) in functions {
        for function in functions {
          names[function] = category
        }
      }
      return names
    }()

    /// Returns the declaration of the list that an undefined symbol belongs to, or `nil`.
    static func use(_ symbol: String) -> (name: String, category: String)? {
      // The version of a function follows its name.
      var name = String(symbol.prefix { $0 != "@" })
      if let swift = swiftName(name) { return member(inSwift: swift) }
      if name.hasPrefix("_"), !name.hasPrefix("__") { name.removeFirst() }
      if name.hasSuffix("$INODE64") { name.removeLast(8) }
      if name.hasPrefix("objc_msgSend$") { name.removeFirst(13) }
      for (category, members) in members {
        if let found = members.first(where: { $0.value == name }) { return (found.key, category) }
      }
      // Glibc's older names are `__xstat` and `__fxstatat64`.
      if name.hasSuffix("64") { name.removeLast(2) }
      if name.hasPrefix("__"), let at = name.range(of: "xstat") {
        name = name[..<at.lowerBound].dropFirst(2) + "stat" + name[at.upperBound...]
      }
      return byFunction[name].map { (name, $0) }
    }

    /// Returns the declaration of Foundation or UIKit that the name of a Swift symbol contains.
    private static func member(inSwift name: String) -> (name: String, category: String)? {
      let pattern = #/\b(Foundation|FoundationEssentials|UIKit)\.(?:\w+\.)*?(\w+)\b/#
      for match in name.matches(of: pattern) {
        // Members follow their types, and a type can be the declaration itself.
        let words = name[match.range.lowerBound...].prefix { $0.isLetter || $0.isNumber || $0 == "." }.split(
          separator: ".")
        for (category, members) in members {
          if let word = words.first(where: { members.keys.contains(String($0)) }) { return (String(word), category) }
        }
      }
      return nil
    }

    /// Returns the name of a Swift symbol in Swift, or `nil` for another symbol.
    private static func swiftName(_ symbol: String) -> String? {
      typealias Demangle =
        @convention(c) (
          UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?
      guard symbol.hasPrefix("$s") || symbol.hasPrefix("_$s"),
        let function = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle"),
        let text = unsafeBitCast(function, to: Demangle.self)(symbol, symbol.utf8.count, nil, nil, 0)
      else { return nil }
      defer { free(text) }
      return String(cString: text)
    }

    /// Returns the declarations of the list that object files use, with their categories.
    static func uses(in objects: [URL]) throws -> [String: String] {
      var uses: [String: String] = [:]
      for line in try run("nm", ["-u"] + objects.map(\.path)).split(separator: "\n") {
        guard let symbol = line.split(separator: " ").last, let use = use(String(symbol)) else { continue }
        uses[use.name] = use.category
      }
      return uses
    }

    /// Returns the reasons in a privacy manifest, by category, or none if the file doesn't exist.
    static func declared(in file: URL) throws -> [String: Set<String>] {
      struct Manifest: Decodable {
        struct Entry: Decodable {
          let type: String
          let reasons: Set<String>

          enum CodingKeys: String, CodingKey {
            case type = "NSPrivacyAccessedAPIType"
            case reasons = "NSPrivacyAccessedAPITypeReasons"
          }
        }
        let isTracking: Bool
        let domains: [String]
        let collected: [String]
        let entries: [Entry]

        enum CodingKeys: String, CodingKey {
          case isTracking = "NSPrivacyTracking"
          case domains = "NSPrivacyTrackingDomains"
          case collected = "NSPrivacyCollectedDataTypes"
          case entries = "NSPrivacyAccessedAPITypes"
        }
      }
      guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
      let manifest = try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
      if manifest.isTracking || !manifest.domains.isEmpty || !manifest.collected.isEmpty {
        throw IndexProblem("\(file.path) declares that the library collects data")
      }
      return try Dictionary(
        manifest.entries.map { entry in
          guard entry.type.hasPrefix(prefix) else { throw IndexProblem("\(file.path) has no category \(entry.type)") }
          return (String(entry.type.dropFirst(prefix.count)), entry.reasons)
        }
      ) { _, _ in throw IndexProblem("\(file.path) has a category twice") }
    }

    /// Returns the output of a program, or throws if the program fails.
    static func run(_ program: String, _ arguments: [String]) throws -> String {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      guard process.terminationStatus == 0, !text.isEmpty else {
        throw IndexProblem("\(program) \(arguments.first ?? "") failed with the status \(process.terminationStatus)")
      }
      return text
    }
  }
#endif
