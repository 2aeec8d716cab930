/// The terms of a search string, all of which must be found in a row.
struct SearchTerms: Hashable, Sendable {
  let matching: SearchMatching
  /// The terms in folded form, without case and accents.
  ///
  /// No term is empty.
  let terms: [[UInt8]]

  init(_ text: String, _ matching: SearchMatching) {
    self.matching = matching
    var terms: [[UInt8]] = []
    SearchText.withFolded(text) { bytes in
      switch matching {
      case .wordBeginnings:
        var end = 0
        _ = SearchText.anyWord(in: bytes) { start in
          // Characters without a separator form one term, even if every character begins a word.
          guard start >= end else { return false }
          end = SearchText.endOfWord(from: start, in: bytes)
          terms.append(Array(bytes[start..<end]))
          return false
        }
      case .anywhere:
        terms = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }
      }
    }
    // A term that a longer term implies is redundant.
    var needed: [[UInt8]] = []
    for term in terms.sorted(by: { $0.count > $1.count }) {
      if !needed.contains(where: { Self.implies($0, term, matching) }) { needed.append(term) }
    }
    self.terms = needed
  }

  /// True if there are no terms.
  var isEmpty: Bool { terms.isEmpty }

  /// Returns true if all strings that match these terms also match the other terms, and both use the same kind of
  /// matching.
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

  /// Returns true if a string contains a term.
  func has(_ term: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch matching {
    case .wordBeginnings: SearchText.anyWord(in: bytes) { SearchText.has(term, at: $0, of: bytes) }
    case .anywhere: SearchText.has(term, anywhereIn: bytes)
    }
  }

  /// Returns whether all terms occur in the given strings.
  ///
  /// - Parameter texts: A function that calls a closure with every string.
  /// - Returns: True if all terms were found.
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

/// The rule for where the words of a search string must occur in a row's strings.
public enum SearchMatching: Hashable, Sendable {
  /// Finds strings in which every word of the search string occurs at the beginning of a word.
  ///
  /// For example, "ann tac" finds "Tacitus: The Annals".
  case wordBeginnings
  /// Finds strings in which every space-separated part of the search string occurs anywhere, even inside a word.
  ///
  /// For example, "nal cit" finds "Tacitus: The Annals".
  case anywhere

  /// The name of the kind of matching as a part of a filter's name.
  var name: String {
    switch self {
    case .wordBeginnings: "has words that begin with"
    case .anywhere: "has"
    }
  }
}
