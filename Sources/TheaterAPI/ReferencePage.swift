import Devices

extension APIContract {
  /// The route tables of `docs/http-api.md`, one for each group, in Markdown.
  public static var referenceTables: String {
    groups.map { group in
      let rows = operations.filter { $0.group == group.title }.map(\.route.row)
      return
        "### \(group.title)\n\n| Method | Path | Permission | What it does |\n|---|---|---|---|\n"
        + rows.joined(separator: "\n")
    }.joined(separator: "\n\n") + "\n"
  }
}

extension Route {
  fileprivate var row: String {
    let permission =
      switch access {
      case .everyone: "none"
      case .permitted(let permission): permission.rawValue
      }
    return "| \(method.rawValue) | `\(path)` | \(permission) | \(help)\(members) |"
  }

  /// The members of the body: ` Body: \`name\`, \`role\`.`
  private var members: String {
    guard case .json(let schema) = body, !schema.memberNames.isEmpty else { return "" }
    return " Body: " + schema.memberNames.map { "`\($0)`" }.joined(separator: ", ") + "."
  }
}
