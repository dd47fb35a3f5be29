import JSON

extension ConfigurationSchemaNodes {
  /// The grammar of `"accounts"`.
  static let accounts = SchemaNode.object(
    ObjectSchema(
      "the accounts",
      fields: [
        .init(
          "demo", .boolean, standard: false,
          help: "Demonstration mode: allows settings that are unsafe in a real theater."),
        .init("delivery", delivery, help: "How codes reach people."),
        .init(
          "rules", .named("ruleSet", RuleSetSchemaNodes.rules),
          help: "The rules for names, addresses and passwords."),
      ]))

  static let delivery = SchemaNode.object(
    ObjectSchema(
      "the delivery",
      fields: [
        .init(
          "email", .either([.named("mailServer", mailServer), .constants(["log"])]),
          help: "The mail server that sends codes; \"log\" writes them into the log instead (demo)."
        ),
        .init(
          "sms", .either([.named("textMessageGateway", textMessageGateway), .constants(["log"])]),
          help: "The gateway that sends codes as text messages; \"log\" as above."),
      ]))

  private static let mailServer = SchemaNode.object(
    ObjectSchema(
      "a mail server",
      fields: [
        .init(
          "server",
          .text(TextSchema(rule: .pattern("^[A-Za-z0-9:][A-Za-z0-9.:-]{0,252}$"), what: "a host")),
          isRequired: true, help: "Its name, such as smtp.example.org."),
        .init(
          "port", .number(NumberSchema(isWhole: true, minimum: 1, maximum: 65535)), standard: 587,
          help: "587 for \"starttls\", 465 for \"tls\"."),
        .init(
          "security", .constants(["starttls", "tls", "none"]), standard: "starttls",
          help: "How the connection is encrypted; \"none\" is for a server on this machine."),
        .init("user", .text(TextSchema(shortest: 1, longest: 256)), help: "The user name."),
        .init(
          "password",
          .either([.text(TextSchema(shortest: 1, longest: 1024)), OptionSchema.secret]),
          help: "The password, as a secret: {\"secret\": \"smtp\"}."),
        .init(
          "from",
          .text(
            TextSchema(
              longest: 254,
              rule: .pattern("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$"),
              what: "an e-mail address")),
          isRequired: true, help: "The sender's address."),
        .init(
          "trust",
          .text(
            TextSchema(shortest: 1, longest: 4096, what: "the path of a PEM file", isPath: true)),
          help: "Authorities to trust in place of the system's, for a server of your own."),
      ]))

  private static let textMessageGateway = SchemaNode.object(
    ObjectSchema(
      "a gateway for text messages",
      fields: [
        .init(
          "url",
          .text(
            TextSchema(
              longest: 2000, rule: .pattern("^https?://[A-Za-z0-9.:\\[\\]-]+([/?].*)?$"),
              what: "an http or https address")),
          isRequired: true, help: "The address of the request; it may contain {phone} and {text}."),
        .init(
          "method", .constants(["POST", "PUT", "GET"]), standard: "POST", help: "The HTTP method."),
        .init(
          "headers",
          .object(
            ObjectSchema(
              "the headers",
              others: .init(
                key: TextSchema(
                  rule: .pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"), what: "a header"),
                shape: .either([
                  .text(TextSchema(longest: 4096, rule: .pattern("^[ -~]*$"), what: "a value")),
                  OptionSchema.secret,
                ])))),
          help: "The headers: the gateway's key, and the Content-Type of the body (else JSON)."),
        .init(
          "body", .text(TextSchema(shortest: 1, longest: 16384)),
          help: "The body of the request; {phone} and {text} stand for number and message."),
      ]))
}
