#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsStoreTesting
  import AnnalsTesting
  import Testing

  @Suite struct PostgresContractTests {
    @Test(arguments: StoreContract.rules)
    func `A store in PostgreSQL keeps the contract`(rule: StoreContract.Rule) async throws {
      let server = try TestServer()
      try await rule.check(remote: { environment in
        try await PostgresEventStore(url: server.url, options: server.options(), environment: environment)
      })
    }
  }
#endif
