import Annals

extension RedactionLeaks {
  /// Looks for the hidden values in the data of a page, where strings are JSON.
  mutating func search(page: String) {
    var escaped = RedactionLeaks()
    var originals: [[UInt8]: [UInt8]] = [:]
    for value in values.values.joined() {
      let text = String(PageJSON.quoted(String(decoding: value, as: UTF8.self)).dropFirst().dropLast())
      escaped.add(text)
      originals[Array(text.utf8)] = value
    }
    for value in escaped.finds(in: Array(page.utf8)) {
      found[originals[value] ?? value, default: [:]]["the page", default: 0] += 1
    }
  }
}
