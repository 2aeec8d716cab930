import AnnalsLog

/// A command's place in the queue of the commands with the same key, for example of the commands on one stream.
///
/// Only the command that has the turn decides. If other commands wait, its append joins a group, and the turn passes to
/// the next command, which is decided on the group's events. When no command waits anymore, the group is committed.
/// Meanwhile, more commands queue, so all commands that arrive during a commit share the next commit.
struct CommandTurn {
  /// The group of the commands that were decided before this command, if it isn't committed yet.
  private(set) var group: CommandGroup?
  /// The command's number in its queue.
  let number: Int
  private let key: WorkLanes.Key?
  private let memory: CommandMemory
  /// The store that commits groups, or nil if every command is committed separately.
  private let grouping: (any RemoteGroupingStore)?
  private var hasTurn = true
  /// True if the command also has the turn of ``all``.
  private var hasTurnOfAll = false
  /// The key of the boundary that overlaps all boundaries.
  private static let all = WorkLanes.Key.boundary(.all)

  /// Waits for the turn.
  ///
  /// - Parameters:
  ///   - key: The key, or nil for a command that doesn't wait.
  ///   - store: The store.
  init(of key: WorkLanes.Key?, in store: some RemoteEventStore) async {
    self.key = key
    memory = store.commands
    switch key {
    // A boundary's condition contains the position of the last known event, but positions are only known afterwards.
    case .boundary, nil: grouping = nil
    case .stream: grouping = store as? any RemoteGroupingStore
    }
    (number, group) = if let key { await memory.begin(key) } else { (0, nil) }
  }

  /// True if the store can commit the command together with other commands.
  var isGrouping: Bool { grouping != nil }

  /// True if the command must join a group, instead of being committed separately.
  private var isShared: Bool {
    guard isGrouping, let key else { return false }
    return group?.isEmpty == false || memory.hasWaiting(key)
  }

  /// Returns the group on which to decide the command.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - trusts: True if a new group assumes that states in memory are current.
  ///   - next: The group that knows the events of the command's last conflict, or nil.
  /// - Returns: The group of the previous commands, `next`, or a new group.
  mutating func join(_ store: some RemoteEventStore, trusts: Bool, next: CommandGroup? = nil) -> CommandGroup {
    if let found = group {
      // A group without commands isn't committed, so it doesn't have to be passed on.
      if found.isEmpty { group = nil }
      return found
    }
    return next ?? CommandGroup(of: store, trusts: trusts, lastNumber: key.map { memory.lastNumber($0) } ?? 0)
  }

  /// Commits a decision, together with the decisions of other commands if these wait.
  mutating func commit(
    _ append: Append, in group: CommandGroup, of store: some RemoteEventStore
  ) async -> CommandMemory.Wake {
    if isShared { return await wait(for: .append(append), in: group) }
    guard let grouping, let result = await grouping.appendGroup([append], isChain: true).first else {
      preconditionFailure("a store committed a group without returning its result. Please report this")
    }
    switch result {
    case .success(let receipt): group.settle([receipt])
    case .failure(let error):
      if let conflict = group.conflict(error, in: store, lastNumber: number) { return .turn(after: conflict) }
    }
    return .ended(result)
  }

  /// Adds a decision to a group, passes the turn on, and waits for the group's commit.
  mutating func wait(for decision: CommandGroup.Decision, in group: CommandGroup) async -> CommandMemory.Wake {
    guard let key, let grouping else {
      preconditionFailure("a command without a group waited for a group. Please report this")
    }
    let (memory, number) = (memory, number)
    let wake = await withCheckedContinuation { continuation in
      group.add(decision, CommandMemory.Waiter(number: number, continuation: continuation))
      memory.pass(key, group, to: grouping)
    }
    if case .turn = wake {
      self.group = memory.group(key)
    } else {
      (hasTurn, self.group) = (false, nil)
    }
    return wake
  }

  /// Waits for the turn of the boundary that overlaps all boundaries, after conflicts that a command has lost.
  ///
  /// Commands with equal boundaries share a queue, but commands with overlapping boundaries don't, and neither do
  /// transactions. Without this turn, a process with 32 tasks on one tag committed 28 commands per second, and some
  /// commands lost all their attempts. One conflict is no reason to wait for commands whose boundary doesn't overlap.
  ///
  /// - Returns: False for a command that has no such conflicts with commands of this store.
  mutating func waitForOverlapping() async -> Bool {
    if case .stream = key { return false }
    if key == Self.all { return false }
    _ = await memory.begin(Self.all)
    hasTurnOfAll = true
    return true
  }

  /// Passes the turn to the next command, unless this command doesn't have the turn.
  ///
  /// - Parameter group: A group without commands whose events the next commands can use, or nil.
  mutating func end(leaving group: CommandGroup? = nil) {
    if hasTurnOfAll { memory.pass(Self.all) }
    hasTurnOfAll = false
    guard hasTurn, let key else { return }
    hasTurn = false
    memory.pass(key, grouping == nil ? nil : self.group ?? group, to: grouping)
  }
}
