/// What was typed into a search, cut into what is looked for: all of it must be found.
struct SearchTerms: Hashable, Sendable {
  let matching: SearchMatching
  /// The terms as they are compared, none of them empty.
  let terms: [[UInt8]]

  init(_ text: String, _ matching: SearchMatching) {
    self.matching = matching
    var terms: [[UInt8]] = []
    SearchText.withFolded(text) { bytes in
      switch matching {
      case .wordBeginnings:
        var end = 0
        _ = SearchText.anyWord(in: bytes) { start in
          // What is written together is one term, also where each character begins a word.
          guard start >= end else { return false }
          end = SearchText.endOfWord(from: start, in: bytes)
          terms.append(Array(bytes[start..<end]))
          return false
        }
      case .anywhere:
        terms = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }
      }
    }
    // What a longer term asks for need not be asked for again.
    var needed: [[UInt8]] = []
    for term in terms.sorted(by: { $0.count > $1.count }) {
      if !needed.contains(where: { Self.implies($0, term, matching) }) { needed.append(term) }
    }
    self.terms = needed
  }

  /// True if nothing is looked for.
  var isEmpty: Bool { terms.isEmpty }

  /// Tells whether all texts in which this is found have also what another one looks for, which matches alike.
  func implies(_ other: SearchTerms) -> Bool {
    matching == other.matching
      && other.terms.allSatisfy { wanted in terms.contains { Self.implies($0, wanted, matching) } }
  }

  private static func implies(_ term: [UInt8], _ wanted: [UInt8], _ matching: SearchMatching) -> Bool {
    switch matching {
    case .wordBeginnings: term.starts(with: wanted)
    case .anywhere: term.withUnsafeBufferPointer { SearchText.has(wanted, anywhereIn: $0) }
    }
  }

  /// Tells whether a term is in a text.
  func has(_ term: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch matching {
    case .wordBeginnings: SearchText.anyWord(in: bytes) { SearchText.has(term, at: $0, of: bytes) }
    case .anywhere: SearchText.has(term, anywhereIn: bytes)
    }
  }

  /// Tells whether each term is in one of some texts.
  ///
  /// - Parameter texts: Calls a closure with each text.
  /// - Returns: True if all were found.
  func match(_ texts: ((String) -> Void) -> Void) -> Bool {
    if terms.count == 1 {
      var isFound = false
      texts { text in
        if !isFound { isFound = SearchText.withFolded(text) { has(terms[0], in: $0) } }
      }
      return isFound
    }
    var missing = terms
    texts { text in
      if missing.isEmpty { return }
      SearchText.withFolded(text) { bytes in missing.removeAll { has($0, in: bytes) } }
    }
    return missing.isEmpty
  }
}

/// Where a text that is searched must have what was typed.
public enum SearchMatching: Hashable, Sendable {
  /// Each word that was typed begins a word: "ann tac" finds "Tacitus: The Annals".
  case wordBeginnings
  /// Each part that was typed, between spaces, is somewhere: "nal cit" finds "Tacitus: The Annals".
  case anywhere

  /// The way of matching as part of a filter's name.
  var name: String {
    switch self {
    case .wordBeginnings: "has words that begin with"
    case .anywhere: "has"
    }
  }
}
