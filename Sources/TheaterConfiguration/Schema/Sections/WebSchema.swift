import JSON

extension ConfigurationSchemaNodes {
  /// The grammar of `"web"`.
  static let web = SchemaNode.object(
    ObjectSchema(
      "an object like {\"host\": \"0.0.0.0\", \"hosts\": [\"theater.example.org\"]}",
      fields: [
        .init(
          "host", .text(TextSchema(shortest: 1, longest: 253, what: "an address of this machine")),
          standard: "127.0.0.1",
          help: "The address to listen on. Other machines connect with TLS."),
        .init(
          "port", .number(NumberSchema(isWhole: true, minimum: 0, maximum: 65_535)), standard: 8080,
          help: "The port of that address; 0 selects a free one."),
        .init(
          "hosts", .list(.text(TextSchema(rule: .hostName, what: "a name"))),
          help: "Host names for browsers, besides IP addresses, localhost and .local names."),
        .init(
          "tls", .either([.constants([true]), certificate]),
          help: "true: TLS on this machine too. Or an object with your own certificate."),
        .init(
          "eventStreams", .number(NumberSchema(isWhole: true, minimum: 8, maximum: 2000)),
          standard: 64,
          help: "The most event streams at once: one for each open page or other client."),
      ]))

  private static let certificate = SchemaNode.object(
    ObjectSchema(
      "an object with \"certificate\" and \"key\"",
      fields: [
        .init(
          "certificate", path("a PEM file"), isRequired: true,
          help: "The certificate, followed by its intermediate certificates."),
        .init(
          "key", path("a PEM file"), isRequired: true,
          help: "The certificate's key, without a password, readable by its owner only."),
      ]))
}
