import Annals

extension JSONValue {
  /// Reads a word of the command line or a cell: JSON if it can be parsed as JSON, otherwise a string.
  init(word: String) { self = (try? JSONValue(parsing: word)) ?? .string(word) }
}
