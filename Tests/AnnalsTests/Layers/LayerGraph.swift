/// Which layers of a target use which.
struct LayerGraph {
  /// A file that uses what a file of another layer declares.
  struct Use {
    let user: String
    let file: String
    /// The names of what is used.
    var names: Set<String>
    let isUpward: Bool

    /// Both files, from the target's folder.
    var files: String { "\(user) → \(file)" }
    /// The files and the names.
    var description: String { "\(files): \(names.sorted().joined(separator: ", "))" }
  }

  let plan: LayerPlan
  /// The uses of other layers, in the order of the files that use.
  let uses: [Use]
  /// Of each layer those that it uses.
  private let used: [String: Set<String>]

  /// Finds the uses that cross from one layer to another.
  ///
  /// - Parameters:
  ///   - plan: The layers.
  ///   - uses: What files use, with the files that declare it.
  init(_ plan: LayerPlan, _ uses: [(user: String, file: String, declaration: CompilerIndex.Declaration)]) {
    var found: [[String]: Use] = [:]
    var used: [String: Set<String>] = [:]
    let folder = "Sources/\(plan.target)/"
    for (user, file, declaration) in uses {
      guard let from = plan.layer(of: user), let to = plan.layer(of: file), from != to,
        let floor = plan.index(of: from), let other = plan.index(of: to)
      else { continue }
      let files = [user, file].map { String($0.dropFirst(folder.count)) }
      found[files, default: Use(user: files[0], file: files[1], names: [], isUpward: other > floor)].names
        .insert(Self.plainName(declaration.name))
      used[from, default: []].insert(to)
    }
    self.plan = plan
    self.uses = found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    self.used = used
  }

  /// The uses of later layers.
  var upward: [Use] { uses.filter(\.isUpward) }

  /// A table of the layers in their order, each with those that it uses.
  var table: [String] {
    ["| layer | contents | uses |", "|---|---|---|"]
      + plan.layers.map { layer in
        let used = used[layer.name] ?? []
        let names = plan.layers.map(\.name).filter { used.contains($0) }
        return "| \(layer.name) | \(layer.purpose) | \(names.isEmpty ? "–" : names.joined(separator: ", ")) |"
      }
  }

  /// A property's name for what reads or writes it.
  private static func plainName(_ name: String) -> String {
    for prefix in ["getter:", "setter:"] where name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
    return name
  }
}
