import Annals
import Foundation

/// All that a page shows, as JSON.
///
/// A page has what its lists show and no more: of events only those that set a row while it was shown, and what they
/// say only where nothing was filtered out. An event that moves a row out of a filter says how it is outside of it,
/// and no list can tell that from what else it says.
struct TimelineData {
  private let mask: Redaction
  private let limit: Int
  private var lists: [PageList] = []
  private var events: PageEvents
  private var head: [PageJSON.Member] = []
  /// How many events the range of the page has, and a number that tells it from another.
  private var range: (count: Int, print: UInt64) = (0, 0xcbf2_9ce4_8422_2325)

  /// - Parameters:
  ///   - mask: The values to hide.
  ///   - commands: Names the commands of events.
  ///   - isFiltered: True if options leave rows out.
  ///   - isChosen: True if options leave events out.
  ///   - hasPayloads: False if what events say is left out.
  ///   - limit: The largest number of bytes.
  init(
    _ mask: Redaction, _ commands: CommandNames, isFiltered: Bool, isChosen: Bool, hasPayloads: Bool, limit: Int
  ) {
    self.mask = mask
    self.limit = limit
    events = PageEvents(mask, commands, hasPayloads: hasPayloads)
    add("filtered", "\(isFiltered)")
    add("chosen", "\(isChosen)")
    add("masked", "\(!mask.isEmpty)")
  }

  /// How many batches the longest list has.
  var batchCount: Int { lists.map(\.batchCount).max() ?? 0 }
  /// How many events the page names.
  var eventCount: Int { events.count }

  mutating func add(_ name: String, _ json: String) { head.append((name, json)) }
  mutating func add(_ name: String, text: String) { add(name, PageJSON.quoted(text)) }

  mutating func add(_ list: PageList) throws {
    lists.append(list)
    try checkSize()
  }

  /// How many bytes the lists and the events take so far.
  private var size: Int { lists.reduce(events.size) { $0 + $1.size.start + $1.size.batches } }

  /// Takes an event of the range, in order; it is shown if it set a row of a list.
  mutating func take(_ event: StoredEvent) throws {
    range.count += 1
    for byte in (event.id.source + "\n" + event.id.id + "\n").utf8 {
      // Fowler, Noll and Vo's hash, FNV-1a (draft-eastlake-fnv).
      range.print = (range.print ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    guard lists.contains(where: { $0.positions.contains(event.position) }) else { return }
    try events.add(event)
    try checkSize()
  }

  /// Checks the size of the page so far.
  ///
  /// - Parameter more: The bytes of a list that is not added yet.
  /// - Throws: ``TooLarge``.
  func checkSize(more: Int = 0) throws {
    if size + more > limit { throw TooLarge(limit: limit) }
  }

  /// Checks the size of the page so far, and of the page as it will be if the rest of a list is like its beginning.
  ///
  /// - Parameters:
  ///   - list: The list that is not added yet.
  ///   - share: How much of the list is done, from 0 to 1.
  ///   - eventSize: About how many bytes an event takes, or nil to look at no rest.
  /// - Throws: ``TooLarge``, and ``ReplayError`` if no other batches would help.
  func checkSize(with list: PageList, share: Double, eventSize: Int?) throws {
    let (start, batches) = list.size
    // No size of batches makes the beginning smaller.
    if size + start > limit { throw TooLarge(limit: limit).refusal }
    try checkSize(more: start + batches)
    guard let eventSize else { return }
    let soFar = batches + list.positions.count * eventSize
    // The beginning of a log may be unlike its rest, so a page must be much too large after an eighth of the bytes.
    if soFar > limit / 8, Double(size + start) + Double(soFar) / share > 2 * Double(limit) || soFar > limit {
      throw TooLarge(limit: limit)
    }
  }

  /// A page is too large.
  struct TooLarge: Error {
    let limit: Int
    var refusal: ReplayError {
      ReplayError(
        .negative,
        "the page would be larger than \(PageSize.text(limit)): show less with A..B, --where or --limit, or take a "
          + "larger number for --batch")
    }
  }

  var json: String {
    let print = String(range.print, radix: 16)
    let rest: [PageJSON.Member] = [
      ("count", "\(range.count)"), ("print", PageJSON.quoted(String(repeating: "0", count: 16 - print.count) + print)),
      ("words", events.words.json), ("events", "[\(events.json)]"), ("lists", PageJSON.list(lists.map(\.json))),
    ]
    return PageJSON.object(head + rest)
  }
}
