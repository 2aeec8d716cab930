/// The page of promises: the sentences of each document, each with the tests that attack it.
struct PromisePage {
  struct Entry: Equatable {
    var document: String
    var sentence: String
    /// The names of the tests that attack the sentence; empty if it is not a promise.
    var tests: [String]
    /// Why it is not a promise; nil if it is one.
    var reason: String?
  }

  /// The entries, in order.
  var entries: [Entry] = []

  /// Parses the page.
  ///
  /// A second-level heading names a document, a bullet contains a sentence, and an arrow begins its tests or a reason.
  /// Sentences, names and reasons can take several lines.
  init(_ text: String) {
    var document = ""
    // The current bullet, line by line.
    var bullet: [Substring] = []
    func end(_ entries: inout [Entry]) {
      guard !bullet.isEmpty else { return }
      let parts = collapsed(bullet.joined(separator: " ")).components(by: "→ ")
      bullet = []
      let answer = parts.dropFirst().joined(separator: "→ ")
      let isNone = answer.hasPrefix(Self.notPromise)
      entries.append(
        Entry(
          document: document, sentence: parts[0].trimmed,
          tests: isNone ? [] : answer.components(by: " · ").map(\.trimmed).filter { !$0.isEmpty },
          reason: isNone ? String(answer.dropFirst(Self.notPromise.count)).trimmed : nil))
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") {
        end(&entries)
        document = String(line.dropFirst(3)).trimmed
      } else if line.hasPrefix("- ") {
        end(&entries)
        bullet = [line.dropFirst(2)]
      } else if line.isEmpty {
        end(&entries)
      } else if !bullet.isEmpty {
        bullet.append(line)
      }
    }
    end(&entries)
  }

  /// The differences between page, documents and tests; each problem is a sentence.
  ///
  /// - Parameters:
  ///   - documents: The documents' names and their promising sentences, in order.
  ///   - tests: The names of all tests.
  /// - Returns: The problems; empty if there are none.
  func problems(documents: [(name: String, sentences: [String])], tests: Set<String>) -> [String] {
    var problems: [String] = []
    for document in documents {
      let listed = entries.filter { $0.document == document.name }.map(\.sentence)
      for sentence in document.sentences where !listed.contains(sentence) {
        problems.append("the page has not, under \(document.name): \(sentence)")
      }
      for sentence in listed where !document.sentences.contains(sentence) {
        problems.append("\(document.name) does not say: \(sentence)")
      }
      if problems.isEmpty, listed != document.sentences {
        problems.append("the page has the sentences of \(document.name) in another order, or one of them twice")
      }
    }
    let names = Set(documents.map(\.name))
    for entry in entries {
      if !names.contains(entry.document) { problems.append("there is no document \(entry.document)") }
      for test in entry.tests where !tests.contains(test) {
        problems.append("no test is called: \(test) (named for: \(entry.sentence))")
      }
      if entry.tests.isEmpty, entry.reason?.isEmpty ?? true {
        problems.append("neither a test nor a reason is named for: \(entry.sentence)")
      }
    }
    return problems
  }

  private static let notPromise = "not a promise:"
}

/// The sentences of a Markdown document that contain one of the four words, without code.
///
/// A paragraph, a bullet, a numbered item and a table cell are separate texts. A text is split into sentences after a
/// full stop, an exclamation mark or a question mark, if a space and the start of a sentence follow.
func promisingSentences(of text: String) -> [String] {
  var texts: [String] = []
  var lines: [String] = []
  var isCode = false
  func end() {
    texts.append(lines.joined(separator: " "))
    lines = []
  }
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    var rest = String(line).trimmed
    if rest.hasPrefix("```") {
      isCode.toggle()
      end()
    } else if isCode || line.hasPrefix("    ") {
      continue
    } else if rest.isEmpty || rest.hasPrefix("#") {
      end()
    } else if rest.hasPrefix("|") {
      end()
      texts += rest.split(separator: "|").map { String($0).trimmed }
    } else {
      if let mark = rest.prefixMatch(of: #/([-*]|[0-9]+\.) /#) {
        end()
        rest = String(rest[mark.range.upperBound...])
      }
      lines.append(rest)
    }
  }
  end()
  return texts.flatMap { sentences(of: collapsed($0)) }.filter { sentence in
    sentence.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      .contains { ["never", "always", "every", "any"].contains($0.lowercased()) }
  }
}

private func sentences(of text: String) -> [String] {
  var sentences: [String] = []
  var sentence = ""
  for (index, character) in zip(text.indices, text) {
    // Brackets and asterisks may close after the full stop: "(… as before.) **Then**".
    let isEnd = character == " " && sentence.reversed().first { $0 != ")" && $0 != "*" }.map(".!?".contains) == true
    let next = text[index...].dropFirst().first
    if isEnd, let next, next.isUppercase || "`\"(*".contains(next) {
      sentences.append(sentence)
      sentence = ""
    } else {
      sentence.append(character)
    }
  }
  return sentences + [sentence]
}

private func collapsed(_ text: String) -> String {
  text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

extension String {
  fileprivate var trimmed: String { collapsedEnds(self) }

  fileprivate func components(by separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}

private func collapsedEnds(_ text: String) -> String {
  String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
}
