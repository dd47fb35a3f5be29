import AccountFlows

/// Having a code sent and taking it: key by key on a screen, otherwise a line each.
struct CodePrompt {
  let channel: RemoteCodes.Channel
  /// Where it is to go; asked for where nothing is given.
  let contact: String?

  init(_ channel: RemoteCodes.Channel, to contact: String?) {
    (self.channel, self.contact) = (channel, contact)
  }

  /// Of what a person gave on the command line: an address, or a number.
  init(email: String?, phone: String?) throws(ExitError) {
    guard email == nil || phone == nil else {
      throw ExitError(.wrongUsage, "give either --email or --phone")
    }
    self.init(phone == nil ? .email : .phone, to: phone ?? email)
  }

  /// The screen, which sends at once where the place is known.
  var flow: CodeFlow { CodeFlow(channel.field, contact: contact) }
  /// The screen for lines, which are sent as they come.
  var flowInLines: CodeFlow { CodeFlow(channel.field) }

  /// Asks until a code is right.
  /// - Returns: The screen as it was at its end.
  /// - Throws: An `ExitError`; without a screen also for the first refusal.
  func ask(_ codes: RemoteCodes) async throws -> CodeFlow {
    guard !Question.isScreen else { return try await CodeFlowView().play(flow.driver(codes)) }
    let lines = CodeLines(prompt: channel.prompt, contact: contact)
    return try await NonInteractivePrompt.play(flowInLines.driver(codes)) {
      try await lines.enter(&$0)
    }
  }
}
