// The mirror table and the conversion of values to Swift source are a separate target, because the tool and the samples
// need them without the rest of this module. You still import only AnnalsTesting. A type alias would not do: with
// MemberImportVisibility you see members only of modules that you import, or that those modules export.
@_exported public import AnnalsMirror
