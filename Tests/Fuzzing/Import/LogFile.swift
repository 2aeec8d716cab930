/// What an import begins a log with, in memory: the importer's sources take it in place of the one in a file.
final class LogFile {
  let memory: MemoryEventStore
  private(set) var store: (any EventStore)?

  init(_ memory: MemoryEventStore) { self.memory = memory }

  func create() throws -> any EventStore {
    store = memory
    return memory
  }

  func append(_ append: Append) throws -> Receipt { try create().append(append) }
}
