import Annals
import AnnalsLog
import Foundation

/// The positions of the events that have a string as their id, correlation or causation.
///
/// The index contains hashes of the strings. So an event at one of the positions may have another string.
struct MentionIndex: SavedIndex {
  let end: Position
  let stamp: UInt64
  /// A hash of 32 bits and a position of 32 bits each, in order.
  private let places: [UInt64]

  /// Makes the index in one pass over the events.
  init(
    _ store: any EventStore, through end: Position, stamp: UInt64, progress: (Position) throws -> Void
  ) throws {
    (self.end, self.stamp) = (end, stamp)
    var places: [UInt64] = []
    try store.forEachBatch(through: end) { batch in
      for index in 0..<batch.count {
        let event = batch.event(at: index)
        let texts = [event.id.id, event.metadata.correlation, event.metadata.causation]
        places += Set(texts.compactMap { $0.map(Self.first) }).map { $0 | UInt64(event.position.rawValue) }
      }
      if let last = batch.last { try progress(last) }
    }
    places.sort()
    self.places = places
  }

  /// The first place of a string.
  private static func first(of text: String) -> UInt64 { IndexHash.of(text) << 32 }

  /// The positions that may have one of some strings, in order.
  func positions(mentioning texts: [String]) -> [Position] {
    let found = texts.flatMap { text in
      let first = Self.first(of: text)
      return places[places.firstIndexInOrder { $0 >= first }...].prefix { $0 >> 32 == first >> 32 }
    }
    return Set(found.map { Int($0 & 0xFFFF_FFFF) }).sorted().map { Position($0) }
  }

  private static let format: UInt64 = 1_001

  var bytes: Data {
    var writer = IndexWriter()
    writer.write([Self.format, UInt64(end.rawValue), stamp])
    writer.write(places)
    return writer.sealed
  }

  init(_ bytes: Data) throws {
    var reader = try IndexReader(bytes)
    let head = try reader.numbers(UInt64.self)
    guard head.count == 3, head[0] == Self.format, head[1] < UInt64(UInt32.max) else { throw IndexReader.Damage() }
    (end, stamp, places) = (Position(Int(head[1])), head[2], try reader.numbers())
    let last = UInt64(head[1])
    guard reader.isAtEnd, zip(places, places.dropFirst()).allSatisfy(<=),
      places.allSatisfy({ 1...last ~= $0 & 0xFFFF_FFFF })
    else { throw IndexReader.Damage() }
  }
}
