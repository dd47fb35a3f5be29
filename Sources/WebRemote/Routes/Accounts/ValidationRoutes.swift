import Accounts
import Hummingbird
import JSON
import Validation

extension Remote {
  /// The rules that the server keeps, for front ends that show them while a person types.
  ///
  /// Open to everyone: they lead to registering, and tell nothing of who lives here.
  var validationRoutes: [Route] {
    [
      .get(
        "/api/validation", by: .everyone, "The rules for names, addresses and passwords."
      ) { _ in
        Response(["format": .integer(RuleSet.format), "rules": gate.rules.json])
      },
      .get(
        "/api/validation/blocklist", by: .everyone,
        "The common passwords that the rule notInBlocklist refuses."
      ) { _ in
        Response([
          "format": .integer(RuleSet.format),
          "entries": .array(Blocklist.entries.map { .string(String($0)) }),
        ])
      },
    ]
  }
}
