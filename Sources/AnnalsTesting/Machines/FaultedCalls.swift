/// The numbered calls to a store, and the fault that makes some of them fail.
struct FaultedCalls {
  private(set) var all: [StoreFault.Call] = []
  var fault: StoreFault?
  private(set) var failed = 0

  /// Counts a call, and returns the way in which the call fails, or `nil`.
  mutating func pass(_ call: StoreFault.Call) -> StoreFault.Way? {
    all.append(call)
    guard let fault, all.count >= fault.number else { return nil }
    guard failed == 0 ? fault.call == nil || fault.call == call : fault.lasts else { return nil }
    failed += 1
    return fault.way
  }
}
