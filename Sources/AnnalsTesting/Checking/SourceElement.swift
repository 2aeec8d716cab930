/// An argument or element in a line of Swift code, such as `"a"` and `[1, 2]` in `shelve("a", on: [1, 2])`.
struct SourceElement: Equatable {
  let range: Range<String.Index>
  /// The number of brackets around the element.
  let depth: Int

  /// Returns the elements of a line, where an element follows the elements inside it, or `nil` if the line isn't
  /// complete code.
  ///
  /// Labels and dictionary keys end with a colon and a space, and aren't a part of the element that follows.
  static func all(in line: String) -> [SourceElement]? {
    // The swiftSource of a value has neither of these.
    if line.contains("#\"") || line.contains("\"\"\"") { return nil }
    var elements: [SourceElement] = []
    var starts = [line.startIndex]
    var place = line.startIndex
    func end(_ index: String.Index) {
      let start = starts[starts.count - 1]
      if start < index { elements.append(SourceElement(range: start..<index, depth: starts.count - 1)) }
    }
    while place < line.endIndex {
      let next = line.index(after: place)
      let following = next < line.endIndex ? line[next] : nil
      switch line[place] {
      case "\"":
        guard let end = endOfString(line, from: next) else { return nil }
        place = end
        continue
      case "(", "[", "{":
        starts.append(next)
      case ")", "]", "}":
        end(place)
        guard starts.count > 1 else { return nil }
        starts.removeLast()
      case ",", ":":
        guard following == " " else { break }
        end(place)
        place = line.index(after: next)
        starts[starts.count - 1] = place
        continue
      case "/" where following == "/":
        return nil
      default: break
      }
      place = next
    }
    end(line.endIndex)
    return starts.count == 1 ? elements : nil
  }

  /// Returns the index after the quote that ends a string, or `nil` if the string doesn't end.
  private static func endOfString(_ line: String, from start: String.Index) -> String.Index? {
    var isEscaped = false
    for place in line[start...].indices {
      let character = line[place]
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return line.index(after: place)
      }
    }
    return nil
  }
}

extension Explorer {
  /// The place of a comment after a part of an input.
  struct Mark: Equatable {
    let line: Int
    let place: String.Index

    /// Finds the smallest element in which other inputs differ, or fails if the inputs differ in several lines or
    /// elements.
    ///
    /// - Parameters:
    ///   - lines: The lines of the input.
    ///   - others: The lines of the other inputs. Their number is the same.
    ///   - isWhole: False if only a part of an argument was changed. In that case, the element must not be a string,
    ///     because the string's other characters may matter.
    init?(_ lines: [String], _ others: [[String]], isWhole: Bool) {
      let changed = lines.indices.filter { line in others.contains { $0[line] != lines[line] } }
      guard changed.count == 1, let elements = SourceElement.all(in: lines[changed[0]]) else { return nil }
      line = changed[0]
      let text = lines[line]
      let isStatement = ["let ", "var ", "try ", "await "].contains { text.hasPrefix($0) }
      let found = elements.first { element in
        if element.depth == 0, isStatement || element.range != text.startIndex..<text.endIndex { return false }
        let (before, after) = (text[..<element.range.lowerBound], text[element.range.upperBound...])
        return others.allSatisfy { other in
          let other = other[changed[0]]
          guard other.count > before.count + after.count, other.hasPrefix(before), other.hasSuffix(after) else {
            return false
          }
          // The other value must be a single element, too.
          let value = String(other.dropFirst(before.count).dropLast(after.count))
          return SourceElement.all(in: value)?.filter { $0.depth == 0 }.map(\.range) == [
            value.startIndex..<value.endIndex
          ]
        }
      }
      guard let found, isWhole || text[found.range.lowerBound] != "\"" else { return nil }
      place = found.range.upperBound
    }
  }
}
