// A test then imports only this module.
@_exported public import AnnalsTesting
