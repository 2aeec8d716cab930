// The table and the text of values are a target of their own, because the tool and the samples need them without the
// harness. You import AnnalsTesting alone all the same. A type alias would not do: where MemberImportVisibility is on,
// you see members only of modules that you import, or that those export.
@_exported public import AnnalsMirror
