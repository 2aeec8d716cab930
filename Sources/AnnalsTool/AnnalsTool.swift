import AnnalsReplay

#if Postgres
  import AnnalsPostgres
#endif

@main
struct AnnalsTool {
  static func main() {
    #if Postgres
      ReplayTool.annals(
        with: ReplayRemote(schemes: ["postgresql", "postgres"]) { url, creates in
          let (url, found) = PostgresOptions.reading(url)
          var options = found
          options.creates = creates
          return try await PostgresEventStore(url: url, options: options)
        }
      ).main()
    #else
      ReplayTool.annals.main()
    #endif
  }
}
