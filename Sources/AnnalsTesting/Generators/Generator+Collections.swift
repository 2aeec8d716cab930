extension Generator {
  /// Returns a generator of arrays.
  ///
  /// - Parameters:
  ///   - element: The generator of the elements.
  ///   - count: The permitted numbers of elements. By default, any number is permitted, but small numbers are more
  ///     frequent.
  /// - Returns: The generator.
  @inlinable
  public static func array<Element>(
    of element: Generator<Element>, count: ClosedRange<Int> = 0...Int.max
  ) -> Generator where Value == [Element] {
    let draw = element.draw
    return Generator { source in
      var elements: [Element] = []
      try source.repeated(count) {
        elements.append(try draw(source))
        return true
      }
      return elements
    }
  }

  /// Returns a generator of arrays with a fixed number of elements.
  ///
  /// - Parameters:
  ///   - element: The generator of the elements.
  ///   - count: The number of elements.
  /// - Returns: The generator.
  @inlinable
  public static func array<Element>(of element: Generator<Element>, count: Int) -> Generator
  where Value == [Element] {
    array(of: element, count: count...count)
  }

  /// Returns a generator of sets.
  ///
  /// - Parameters:
  ///   - element: The generator of the elements. An element that the set already contains is redrawn.
  ///   - count: The permitted numbers of elements. By default, any number is permitted, but small numbers are more
  ///     frequent.
  ///   - fileID: The file that contains the call, for the report if there are too few different elements.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func set<Element: Sendable>(
    of element: Generator<Element>, count: ClosedRange<Int> = 0...Int.max, fileID: String = #fileID, line: UInt = #line
  ) -> Generator where Value == Set<Element> {
    let draw = element.draw
    return Generator { source in
      var elements: Set<Element> = []
      try source.repeated(count) {
        elements.insert(try draw(source)).inserted
      } tooFew: { found in
        none("set(of:count:)", wants: count.lowerBound, "elements", found, fileID, line)
      }
      return elements
    }
  }

  /// Returns a generator of dictionaries.
  ///
  /// - Parameters:
  ///   - keys: The generator of the keys. A key that the dictionary already contains is redrawn.
  ///   - values: The generator of the values.
  ///   - count: The permitted numbers of pairs. By default, any number is permitted, but small numbers are more
  ///     frequent.
  ///   - fileID: The file that contains the call, for the report if there are too few different keys.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func dictionary<Key: Sendable, Element>(
    of keys: Generator<Key>, to values: Generator<Element>, count: ClosedRange<Int> = 0...Int.max,
    fileID: String = #fileID, line: UInt = #line
  ) -> Generator where Value == [Key: Element] {
    let (drawKey, drawValue) = (keys.draw, values.draw)
    return Generator { source in
      var pairs: [Key: Element] = [:]
      try source.repeated(count) {
        let key = try drawKey(source)
        guard pairs[key] == nil else { return false }
        pairs[key] = try drawValue(source)
        return true
      } tooFew: { found in
        none("dictionary(of:to:count:)", wants: count.lowerBound, "keys", found, fileID, line)
      }
      return pairs
    }
  }

  private static func none(
    _ name: String, wants count: Int, _ parts: String, _ found: Int, _ fileID: String, _ line: UInt
  ) -> Discarded {
    .noValue(
      "Generator<\(Value.self)>.\(name) at \(fileID):\(line) has no value: expected at least \(count) different "
        + "\(parts), but the generator of \(parts) produced only \(found) in \(found * 3 + 11) draws")
  }

  /// Returns a generator of the permutations of an array, which shrink toward the order of the array.
  ///
  /// - Parameter elements: The array.
  /// - Returns: The generator.
  public static func shuffled<Element: Sendable>(_ elements: [Element]) -> Generator where Value == [Element] {
    Generator { source in
      var (left, result) = (elements, [Element]())
      while !left.isEmpty {
        let bound = UInt64(left.count - 1)
        result.append(left.remove(at: Int(try source.choose(through: bound) { $0.next(through: bound) })))
      }
      return result
    }
  }
}

extension Draw {
  /// Draws elements one by one.
  ///
  /// A bit before every element indicates that the element exists. The draw has these bits instead of the number of
  /// elements, so that shrinking can remove an element by removing only the element's own choices.
  @inlinable
  func repeated(
    _ count: ClosedRange<Int>, _ element: () throws -> Bool, tooFew: (Int) -> Discarded = { _ in .filter(nil) }
  ) throws {
    guard count.lowerBound >= 0 else {
      throw Discarded.noValue(
        "a generator of collections has no value: expected a count of at least 0 elements, found \(count)")
    }
    let (least, most) = (count.lowerBound, count.upperBound)
    let room = Double(most) - Double(least)
    let average = Swift.min(averageCount, room / 2)
    let probability = least == most ? 1 : average / (1 + average)
    let whole = open(.collection)
    var (made, failures) = (0, 0)
    while true {
      let span = open(.element)
      do {
        let isMore = try flip(probability, forced: made < least ? true : made >= most ? false : nil)
        guard isMore else {
          // The end isn't an element, so shrinking must not swap it with an element.
          spans[Int(span)].label = .other
          close(span)
          close(whole)
          return
        }
        let isKept = try element()
        close(span, discarded: !isKept)
        if isKept {
          made += 1
        } else {
          failures += 1
          if failures > 10 + 2 * made {
            guard made >= least else { throw tooFew(made) }
            close(whole)
            return
          }
        }
      } catch {
        closeAll(from: whole)
        throw error
      }
    }
  }
}
