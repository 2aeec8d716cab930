/// A decoder that wraps the payload decoder, and provides the case's name as a key and the payload as the case's
/// values.
struct CaseDecoder: Decoder {
  let slot: CaseSlot

  private var base: PayloadDecoder { PayloadDecoder(slot.tape, JSONTape.root) }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { slot.cases() }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { base }
}
