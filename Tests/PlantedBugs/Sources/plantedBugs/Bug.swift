import Foundation

/// The number of the bug that the environment variable `PLANTED_BUG` switches on, or 0 for no bug.
private let plantedBug = Int(ProcessInfo.processInfo.environment["PLANTED_BUG"] ?? "") ?? 0

/// Returns whether a bug is switched on.
func bug(_ number: Int) -> Bool { plantedBug == number }
