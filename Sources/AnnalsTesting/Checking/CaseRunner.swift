/// What came of a case.
enum Verdict: Sendable {
  case passed
  /// No verdict.
  case discarded
  case failed(any Error)
  /// The task was cancelled: the check is to end.
  case cancelled

  /// The verdict that follows from what a case threw.
  init(_ error: any Error) {
    self = error is Discarded ? .discarded : .failed(error)
  }

  /// What tells a failure from failures with another cause; nil if there is none.
  var origin: String? {
    guard case .failed(let error) = self else { return nil }
    let type = String(reflecting: Swift.type(of: error))
    if let unmet = error as? Unmet { return "\(type) \(unmet.fileID):\(unmet.line)" }
    if let violation = error as? any OriginNaming { return "\(type) \(violation.origin)" }
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum else { return type }
    return "\(type).\(mirror.children.first?.label ?? "\(error)")"
  }
}

/// Runs cases.
protocol CaseRunner: AnyObject {
  /// Runs a case.
  func run(_ plan: Plan) -> Verdict
  /// What the last case was made of.
  var record: Record { get }
  /// The last case as people read it, if the plan asked for it.
  var story: Story { get }
}

/// A case as people read it.
struct Story: Sendable {
  /// A value a line, or a program.
  var transcript: [String] = []
  /// What a machine's run recorded, as lines of CloudEvents.
  var log: [String] = []

  init() {}

  init(_ draw: Draw) {
    transcript = draw.transcript ?? []
    log = draw.log
  }
}

/// Runs cases where it stands.
final class DirectRunner: CaseRunner {
  private let draw = Draw()
  private let context: CaseContext
  private let body: (Draw) throws -> Void

  init(_ context: CaseContext, _ body: @escaping (Draw) throws -> Void) {
    self.context = context
    self.body = body
  }

  var record: Record { draw.record }
  var story: Story { Story(draw) }

  func run(_ plan: Plan) -> Verdict {
    draw.reset(plan)
    context.begin(isDescribed: plan.isDescribed)
    do {
      try body(draw)
      return .passed
    } catch {
      return Verdict(error)
    }
  }
}
