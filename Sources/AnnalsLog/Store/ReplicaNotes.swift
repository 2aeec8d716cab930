/// Functions for the entries that replicas store among a copy's checkpoints.
package enum ReplicaNotes {
  /// Returns true if a checkpoint is an entry of replicas, and therefore not a follower's position.
  package static func contain(_ name: String) -> Bool {
    name == "annals:replica" || name.hasPrefix("annals:replica:")
  }
}
