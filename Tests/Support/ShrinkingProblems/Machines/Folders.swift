import AnnalsTesting

/// Files with permissions, of many operations that matter for no mistake (Hypothesis issue 3825, 56 steps).
///
/// Its mistake: a file that is moved over another keeps the other's list of users, if there is one.
final class Folders {
  struct Refusal: Error, Hashable {}

  /// Files by name, with those who may read them.
  struct State: Hashable {
    var contents: [String: Int] = [:]
    var users: [String: Set<String>] = [:]
    var isCorrect: Bool

    mutating func create(_ name: String) throws {
      guard contents[name] == nil else { throw Refusal() }
      contents[name] = 0
    }

    mutating func write(_ name: String, _ count: Int) throws {
      guard contents[name] != nil else { throw Refusal() }
      contents[name]? += count
    }

    mutating func permit(_ name: String, _ user: String) throws {
      guard contents[name] != nil else { throw Refusal() }
      users[name, default: []].insert(user)
    }

    mutating func forbid(_ name: String, _ user: String) throws {
      guard users[name]?.remove(user) != nil else { throw Refusal() }
    }

    mutating func remove(_ name: String) throws {
      guard contents.removeValue(forKey: name) != nil else { throw Refusal() }
      users[name] = nil
    }

    mutating func move(_ name: String, _ other: String) throws {
      guard name != other, let count = contents.removeValue(forKey: name) else { throw Refusal() }
      contents[other] = count
      let list = users.removeValue(forKey: name)
      if isCorrect || users[other]?.isEmpty ?? true { users[other] = list }
    }

    mutating func copy(_ name: String, _ other: String) throws {
      guard let count = contents[name], contents[other] == nil else { throw Refusal() }
      (contents[other], users[other]) = (count, users[name])
    }
  }

  var state = State(isCorrect: false)
}

struct FoldersMachine: Machine {
  private typealias State = Folders.State

  func start() -> (model: Folders.State, system: Folders) { (Folders.State(isCorrect: true), Folders()) }

  private var name: Generator<String> { .element(of: ["a", "b", "c", "d"]) }

  private func operation<Argument>(
    _ name: String, _ argument: Generator<Argument>,
    _ run: @escaping (inout Folders.State, String, Argument) throws -> Void
  ) -> Command<Folders.State, Folders> {
    Command(name) { _ in
      zip(self.name, argument)
    } model: { (model: inout Folders.State, arguments: (String, Argument)) in
      try run(&model, arguments.0, arguments.1)
    } run: { (system: Folders, arguments: (String, Argument)) in
      try run(&system.state, arguments.0, arguments.1)
    }
  }

  private func operation(
    _ name: String, _ run: @escaping (inout Folders.State, String) throws -> Void
  ) -> Command<Folders.State, Folders> {
    Command(name) { _ in
      self.name
    } model: { (model: inout Folders.State, name: String) in
      try run(&model, name)
    } run: { (system: Folders, name: String) in
      try run(&system.state, name)
    }
  }

  var commands: [Command<Folders.State, Folders>] {
    operation("create(_:)") { try $0.create($1) }
    operation("write(_:_:)", .int(in: 0...100)) { try $0.write($1, $2) }
    operation("permit(_:_:)", .element(of: ["root", "user1", "user2"])) { try $0.permit($1, $2) }
    operation("forbid(_:_:)", .element(of: ["root", "user1", "user2"])) { try $0.forbid($1, $2) }
    operation("remove(_:)") { try $0.remove($1) }
    operation("move(_:_:)", name) { try $0.move($1, $2) }
    operation("copy(_:_:)", name) { try $0.copy($1, $2) }
  }

  func invariant(_ model: Folders.State, _ system: Folders) throws {
    try ensureEqual(system.state.users, model.users)
  }
}
