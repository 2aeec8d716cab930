/// The result of a case.
enum Verdict: Sendable {
  case passed
  /// A case without a verdict, with the reason if it is known.
  case discarded(Discarded?)
  case failed(any Error)
  /// The task was cancelled, so the check ends.
  case cancelled

  /// Creates the verdict for an error that a case threw.
  init(_ error: any Error) {
    self = (error as? Discarded).map { .discarded($0) } ?? .failed(error)
  }

  /// The cause of a failure, to distinguish it from other failures, or `nil` if the case didn't fail.
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
  /// The choices of the last case.
  var record: Record { get }
  /// The last case in readable form, if the plan requested it.
  var story: Story { get }
}

/// A case in readable form.
struct Story: Sendable {
  /// The arguments with one value per line, or the program of a machine.
  var transcript: [String] = []
  /// The recording of a machine's run, as lines of CloudEvents.
  var log: [String] = []

  init() {}

  init(_ draw: Draw) {
    transcript = draw.transcript ?? []
    log = draw.log
  }
}

/// Runs cases on the calling thread.
final class DirectRunner: CaseRunner {
  private let draw: Draw
  private let context: CaseContext
  private let body: (Draw) throws -> Void

  init(_ context: CaseContext, _ draw: Draw, _ body: @escaping (Draw) throws -> Void) {
    self.context = context
    self.draw = draw
    self.body = body
  }

  var record: Record { draw.record }
  var story: Story { Story(draw) }

  func run(_ plan: Plan) -> Verdict {
    draw.reset(plan)
    context.begin(isDescribed: plan.isDescribed)
    do {
      try body(draw)
      return context.verdict(.passed)
    } catch {
      return context.verdict(Verdict(error))
    }
  }
}
