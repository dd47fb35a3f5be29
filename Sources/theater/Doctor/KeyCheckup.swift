import Storage

/// Looks whether the key beside the database opens the second factors in it.
struct KeyCheckup {
  let folders: ApplicationPaths

  /// What is wrong with it, or that nothing is; nothing where there is no database yet.
  func findings() -> [Finding] {
    do throws(StorageError) {
      guard try Backups(of: folders.state).checkKey() else { return [] }
      return [.good("key", "it opens the second factors in the database")]
    } catch {
      return [.bad("key", error.message, remedy: error.hint)]
    }
  }
}
