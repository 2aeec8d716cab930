import AnnalsReplay

#if Postgres
  import AnnalsPostgres
#endif

@main
struct AnnalsTool {
  static func main() {
    #if Postgres
      // As long as for a log in a file. Unlike a service, a person or a script rarely has a better use for the time.
      let options = PostgresOptions(patience: .seconds(60))
      ReplayTool.annals(
        with: ReplayRemote(
          schemes: ["postgresql", "postgres"], maintenance: { PostgresMaintenance(url: $0, options: options) }
        ) { url, creates in
          var options = options
          options.setup = creates ? .create : .existing
          return try await PostgresEventStore(url: url, options: options)
        }
      ).main()
    #else
      ReplayTool.annals.main()
    #endif
  }
}
