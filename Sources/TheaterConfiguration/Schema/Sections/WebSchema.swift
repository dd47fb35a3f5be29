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
          help: "The address to listen on. Beyond this machine TLS is spoken."),
        .init(
          "port", .number(NumberSchema(isWhole: true, minimum: 0, maximum: 65_535)), standard: 8080,
          help: "The port there; 0 takes a free one."),
        .init(
          "hosts", .list(.text(TextSchema(rule: .hostName, what: "a name"))),
          help: "Names by which people come, beside addresses, localhost and .local names."),
        .init(
          "tls", .either([.constants([true]), certificate]),
          help: "true: TLS on this machine too. Or your own certificate instead of a made one."),
        .init(
          "eventStreams", .number(NumberSchema(isWhole: true, minimum: 8, maximum: 2000)),
          standard: 64,
          help: "The most pages and programs that follow the theater at the same time."),
      ]))

  private static let certificate = SchemaNode.object(
    ObjectSchema(
      "an object with \"certificate\" and \"key\"",
      fields: [
        .init(
          "certificate", path("a PEM file"), isRequired: true,
          help: "The certificate, and after it those that vouch for it."),
        .init(
          "key", path("a PEM file"), isRequired: true,
          help: "Its key, without a password, closed to others."),
      ]))
}
