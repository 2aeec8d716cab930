@_exported public import AnnalsLog
