import AnnalsReplay

#if Postgres
  import AnnalsPostgres
#endif

@main
struct AnnalsTool {
  static func main() {
    #if Postgres
      ReplayTool.annals(
        with: ReplayRemote(schemes: ["postgresql", "postgres"]) { url in
          let (url, options) = PostgresOptions.reading(url)
          return try await PostgresEventStore(url: url, options: options)
        }
      ).main()
    #else
      ReplayTool.annals.main()
    #endif
  }
}
