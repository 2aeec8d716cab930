import AnnalsReplay

#if Postgres
  import AnnalsPostgres
#endif

@main
struct AnnalsTool {
  static func main() {
    #if Postgres
      ReplayTool.annals(
        with: ReplayRemote(schemes: ["postgresql", "postgres"], maintenance: { PostgresMaintenance(url: $0) }) {
          url, creates in
          try await PostgresEventStore(url: url, options: PostgresOptions(setup: creates ? .create : .existing))
        }
      ).main()
    #else
      ReplayTool.annals.main()
    #endif
  }
}
