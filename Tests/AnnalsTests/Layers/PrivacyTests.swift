#if os(macOS) || os(Linux)
  import Foundation
  import Testing

  /// The privacy manifests declare every use of a declaration for which Apple requires a reason, and no other use.
  ///
  /// The uses are the undefined symbols of the object files of this build. With `ANNALS_NEEDS_INDEX=1`, a build without
  /// object files is a failure. Otherwise the tests are skipped.
  @Suite struct PrivacyTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    /// The folder of this build, which contains a folder of object files for every module.
    private static let build: URL? = {
      guard let file = imagePath(of: #dsohandle) else { return nil }
      var folder = URL(fileURLWithPath: file).resolvingSymlinksInPath()
      while folder.pathComponents.count > 1 {
        folder.deleteLastPathComponent()
        let compiled = folder.appending(path: "AnnalsLog.build/JSON.d")
        if FileManager.default.fileExists(atPath: compiled.path) { return folder }
      }
      return nil
    }()
    /// The reason why no symbols can be read, or `nil` if they can or must be.
    private static let isMissing: String? =
      if ProcessInfo.processInfo.environment["ANNALS_NEEDS_INDEX"] != nil {
        nil
      } else if build == nil {
        "only debug builds with SwiftPM have an object file for every source file"
      } else if (try? RequiredReasons.run("nm", ["--version"])) == nil {
        "there is no `nm` on the path"
      } else {
        nil
      }

    /// The folders of Sources that contain Swift files.
    private static let modules: [String] = {
      let folder = root.appending(path: "Sources").path
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { name in (try? sources(of: name).isEmpty) == false }.sorted()
    }()

    private static func sources(of module: String) throws -> [String] {
      let files = FileManager.default.enumerator(atPath: root.appending(path: "Sources/\(module)").path)
      return try #require(files).compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
    }

    /// Returns the object file of a source file, which must be compiled after the last change of the source file.
    private func object(of source: URL, in module: String) throws -> URL {
      let build = try #require(Self.build, "the build has no folder of object files for every module")
      let objects = build.appending(path: "\(module).build")
      func changed(_ file: URL) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return try #require(attributes[.modificationDate] as? Date)
      }
      // The compiler leaves an object file as it is, if a new one would be the same. But it always writes this file.
      let compiled = objects.appending(path: source.lastPathComponent).deletingPathExtension()
        .appendingPathExtension("d")
      let isCurrent = try changed(compiled) >= changed(source)
      try #require(isCurrent, "\(source.path) was changed after it was compiled: build the tests again")
      return objects.appending(path: source.lastPathComponent + ".o")
    }

    @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")), arguments: modules)
    func `a module's privacy manifest has exactly the categories of the declarations that the module uses`(
      module: String
    ) throws {
      let folder = Self.root.appending(path: "Sources/\(module)")
      let objects = try Self.sources(of: module).map { try object(of: folder.appending(path: $0), in: module) }
      let uses = try RequiredReasons.uses(in: objects)
      let declared = try RequiredReasons.declared(in: folder.appending(path: "PrivacyInfo.xcprivacy"))
      #expect(Set(uses.values) == Set(declared.keys), "\(uses)")
      for (category, reasons) in declared {
        #expect(!reasons.isEmpty && reasons.isSubset(of: RequiredReasons.reasons[category] ?? []), "\(category)")
      }
    }

    @Test func `the modules that query the status of files have manifests`() {
      let found = Self.modules.filter {
        FileManager.default.fileExists(atPath: Self.root.appending(path: "Sources/\($0)/PrivacyInfo.xcprivacy").path)
      }
      #expect(found == ["AnnalsReplay", "AnnalsSQLite"])
    }

    #if os(Linux)
      @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")))
      func `every declaration of the list that this system has is found in an object file that uses it`() throws {
        let file = URL(fileURLWithPath: #filePath)
        let object = try object(
          of: file.deletingLastPathComponent().appending(path: "PrivacyUses.swift"), in: "AnnalsTests")
        let uses = try RequiredReasons.uses(in: [object])
        #expect(
          Set(uses.keys) == [
            "stat", "fstat", "lstat", "fstatat", "statvfs", "fstatvfs", "systemUptime",
            "systemFreeSize", "systemSize", "creationDate", "modificationDate", "creationDateKey",
            "contentModificationDateKey", "contentModificationDate", "volumeAvailableCapacityKey",
            "volumeTotalCapacityKey", "UserDefaults",
          ])
        #expect(Set(uses.values) == Set(RequiredReasons.reasons.keys).subtracting(["ActiveKeyboards"]))
      }

      @Test(.enabled(if: isMissing == nil, Comment(rawValue: isMissing ?? "")))
      func `a build for Linux has no bundle of resources`() throws {
        let build = try #require(Self.build)
        let names = try FileManager.default.contentsOfDirectory(atPath: build.path)
        #expect(names.filter { $0.hasSuffix(".resources") } == [])
      }
    #endif

    @Test(
      arguments: [
        ("_stat", "FileTimestamp"), ("_stat$INODE64", "FileTimestamp"), ("stat@GLIBC_2.33", "FileTimestamp"),
        ("__xstat", "FileTimestamp"), ("__fxstat64", "FileTimestamp"), ("_getattrlistbulk", "FileTimestamp"),
        ("_NSFileModificationDate", "FileTimestamp"), ("_NSURLCreationDateKey", "FileTimestamp"),
        ("_objc_msgSend$fileModificationDate", "FileTimestamp"), ("_statfs", "DiskSpace"),
        ("_NSFileSystemFreeSize", "DiskSpace"),
        ("_NSURLVolumeAvailableCapacityForImportantUsageKey", "DiskSpace"), ("_mach_absolute_time", "SystemBootTime"),
        ("_objc_msgSend$systemUptime", "SystemBootTime"), ("_OBJC_CLASS_$_NSUserDefaults", "UserDefaults"),
        ("_objc_msgSend$activeInputModes", "ActiveKeyboards"),
        ("$s10Foundation11ProcessInfoC12systemUptimeSdvg", "SystemBootTime"),
        ("_$s10Foundation17URLResourceValuesV23contentModificationDateAA0F0VSgvg", "FileTimestamp"),
        ("fstatement", nil), ("_sqlite3_status", nil), ("$s6Annals3RowV12creationDate10Foundation0D0Vvg", nil),
        ("_objc_msgSend$date", nil),
      ] as [(String, String?)])
    func `a symbol belongs to the category of its declaration`(symbol: String, category: String?) {
      #expect(RequiredReasons.use(symbol)?.category == category)
    }
  }
#endif
