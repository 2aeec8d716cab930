package import Annals

/// A book that is identified by its name.
package struct NamedBook: Row {
  package var id, name: String

  package init(_ id: String, _ name: String) {
    self.id = id
    self.name = name
  }
}

/// The commands of a librarian.
package enum LibraryCommand {
  case add(NamedBook)
  case rename(id: NamedBook.ID, to: String)
  case remove(id: NamedBook.ID)
}

/// The events of a library.
package enum LibraryEvent: Event {
  case added(NamedBook)
  case renamed(id: NamedBook.ID, to: String)
  case removed(id: NamedBook.ID)
}

/// The decider that turns a librarian's commands into the events of one library.
package struct Library: Decider {
  /// The reasons for refusing a command.
  package enum Refusal: Error, Equatable {
    case alreadyThere(NamedBook.ID)
    case notThere(NamedBook.ID)
    case nameless
  }

  private var names: [NamedBook.ID: String] = [:]

  package init() {}

  package func decide(_ command: LibraryCommand) throws(Refusal) -> [LibraryEvent] {
    switch command {
    case .add(let book):
      if names[book.id] != nil { throw .alreadyThere(book.id) }
      if book.name.isEmpty { throw .nameless }
      return [.added(book)]
    case .rename(let id, let name):
      guard let old = names[id] else { throw .notThere(id) }
      if name.isEmpty { throw .nameless }
      return name == old ? [] : [.renamed(id: id, to: name)]
    case .remove(let id):
      if names[id] == nil { throw .notThere(id) }
      return [.removed(id: id)]
    }
  }

  package mutating func evolve(_ event: LibraryEvent) {
    switch event {
    case .added(let book): names[book.id] = book.name
    case .renamed(let id, let name): names[id] = name
    case .removed(let id): names[id] = nil
    }
  }
}

/// The books of a library as rows.
package struct BooksByName: Projection {
  package init() {}

  package func project(_ event: LibraryEvent, into rows: inout Rows<NamedBook>) {
    switch event {
    case .added(let book): rows.insert(book)
    case .renamed(let id, let name): rows[id]?.name = name
    case .removed(let id): rows[id] = nil
    }
  }
}

extension ListRequest where Row == NamedBook {
  /// A request sorted by name.
  package static var byName: ListRequest { ListRequest(sort: [.ascending(\.name)]) }
}
