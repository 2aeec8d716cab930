import Annals

extension Changes {
  /// The two update cycles in which a controller delivers the changes.
  var brackets: (structure: MirrorTable<Row>.Bracket, content: MirrorTable<Row>.Bracket) {
    var (structure, content) = (MirrorTable<Row>.Bracket(), MirrorTable<Row>.Bracket())
    for change in sections {
      if case .update(_, let newIndex, let key, let title) = change {
        content.sections.append(.update(index: newIndex, newIndex: newIndex, key: key, title: title))
      } else {
        structure.sections.append(change)
      }
    }
    for change in rows {
      switch change {
      case .update(let row, _, let newAt): content.rows.append(.update(row: row, at: newAt, newAt: newAt))
      case .move(let row, _, let to, true):
        structure.rows.append(change)
        content.rows.append(.update(row: row, at: to, newAt: to))
      default: structure.rows.append(change)
      }
    }
    return (structure, content)
  }
}
