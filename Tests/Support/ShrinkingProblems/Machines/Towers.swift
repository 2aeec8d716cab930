import AnnalsTesting

/// The towers of Hanoi: a program that "fails" is a solution (Hypothesis issue 1857, nine moves instead of seven).
struct Towers: Hashable {
  struct Move: Hashable, Sendable {
    let from: Int
    let to: Int
  }

  struct Forbidden: Error, Hashable {}

  private var pegs: [[Int]]

  init(discs: Int) { pegs = [Array((1...discs).reversed()), [], []] }

  var isSolved: Bool { pegs[0].isEmpty && pegs[1].isEmpty }

  /// The moves that the rules permit now.
  var moves: [Move] {
    let all = (0..<3).flatMap { from in (0..<3).map { Move(from: from, to: $0) } }
    return all.filter { permits($0) }
  }

  private func permits(_ move: Move) -> Bool {
    guard let disc = pegs[move.from].last else { return false }
    return pegs[move.to].last.map { $0 > disc } ?? true
  }

  mutating func move(_ move: Move) throws {
    guard permits(move), let disc = pegs[move.from].popLast() else { throw Forbidden() }
    pegs[move.to].append(disc)
  }
}

final class TowersSolver {
  var towers: Towers

  init(_ towers: Towers) { self.towers = towers }
}

/// Any two pegs may be asked for; what the rules forbid is refused.
struct AnyMoveTowers: Machine {
  let discs: Int

  func start() -> (model: Towers, system: TowersSolver) {
    (Towers(discs: discs), TowersSolver(Towers(discs: discs)))
  }

  var commands: [Command<Towers, TowersSolver>] {
    Command("move(from:to:)") { _ in
      zip(.int(in: 0...2), .int(in: 0...2))
    } model: { (model: inout Towers, pegs: (Int, Int)) in
      try model.move(Towers.Move(from: pegs.0, to: pegs.1))
    } run: { (system: TowersSolver, pegs: (Int, Int)) in
      try system.towers.move(Towers.Move(from: pegs.0, to: pegs.1))
    }
  }

  func invariant(_ model: Towers, _ system: TowersSolver) throws { try ensure(!system.towers.isSolved, "solved") }
}

/// The moves are drawn from those that the rules permit, so that one choice means another move after each change.
struct PermittedMoveTowers: Machine {
  let discs: Int

  func start() -> (model: Towers, system: TowersSolver) {
    (Towers(discs: discs), TowersSolver(Towers(discs: discs)))
  }

  var commands: [Command<Towers, TowersSolver>] {
    Command("move(from:to:)") { model in
      Generator.element(of: model.moves).map { ($0.from, $0.to) }
    } model: { (model: inout Towers, pegs: (Int, Int)) in
      try model.move(Towers.Move(from: pegs.0, to: pegs.1))
    } run: { (system: TowersSolver, pegs: (Int, Int)) in
      try system.towers.move(Towers.Move(from: pegs.0, to: pegs.1))
    }
  }

  func invariant(_ model: Towers, _ system: TowersSolver) throws { try ensure(!system.towers.isSolved, "solved") }
}
