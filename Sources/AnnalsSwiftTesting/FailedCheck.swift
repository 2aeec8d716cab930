import AnnalsTesting
import Foundation
import Testing

/// A check that failed in a test, as an issue, attachments and an annotation.
struct FailedCheck {
  let failure: PropertyFailure
  let place: SourceLocation

  init(_ failure: PropertyFailure, in test: Test) {
    self.failure = failure
    // The path is known if the condition is an `ensure` or is in the file of the test. Conditions in the library's own
    // functions have only the name of the caller's file.
    let (condition, own) = (failure.place, test.sourceLocation)
    let path = condition.filePath ?? (condition.fileID == own.fileID ? own.filePath : nil)
    place =
      path.map {
        SourceLocation(fileID: condition.fileID, filePath: $0, line: Int(condition.line), column: 1)
      } ?? own
  }

  func record(_ environment: [String: String]) {
    Attachment.record("\(failure)\n", named: "report.txt", sourceLocation: place)
    if !failure.log.isEmpty {
      Attachment.record(failure.log.map { $0 + "\n" }.joined(), named: "log.jsonl", sourceLocation: place)
    }
    if let line = annotation(environment) {
      FileHandle.standardOutput.write(Data("\n\(line)\n".utf8))
    }
    Issue.record(failure, sourceLocation: place)
  }

  /// The line that GitHub shows as an annotation, or `nil` outside of GitHub's actions.
  func annotation(_ environment: [String: String]) -> String? {
    guard environment["GITHUB_ACTIONS"] == "true" else { return nil }
    var path = place.filePath
    // GitHub expects a path in the repository.
    if let folder = environment["GITHUB_WORKSPACE"], path.hasPrefix(folder + "/") {
      path = String(path.dropFirst(folder.count + 1))
    }
    return "::error file=\(escaped(path, also: ":,")),line=\(place.line)::\(escaped("\(failure)", also: ""))"
  }

  /// Escapes the characters that end a value.
  private func escaped(_ text: String, also others: String) -> String {
    text.unicodeScalars.map { scalar in
      guard "%\r\n".unicodeScalars.contains(scalar) || others.unicodeScalars.contains(scalar) else {
        return String(scalar)
      }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "%" + (digits.count < 2 ? "0" : "") + digits
    }
    .joined()
  }
}
