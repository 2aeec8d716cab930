import Foundation
import Testing

extension LayerTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["CROSS_DUMP"] != nil)) func crossDump() throws {
    let index = try Self.index.get()
    let bottom = ["JSON", "Keys", "Events", "EventCoding", "Store", "MemoryStore"].map { "Sources/Annals/\($0)/" }
    var out = Set<String>()
    for (user, file, declaration) in index.uses() {
      guard bottom.contains(where: file.hasPrefix), !bottom.contains(where: user.hasPrefix) else { continue }
      out.insert("\(file):\(declaration.line):\(declaration.column):\(declaration.name)\t\(user)")
    }
    try out.sorted().joined(separator: "\n").write(toFile: "/tmp/cross.txt", atomically: true, encoding: .utf8)
  }
}
