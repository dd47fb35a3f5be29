/// The bytes of a fuzzer: the first ones choose options, the rest is the data for the parser.
public struct FuzzedInput {
  /// The bytes that have chosen nothing yet.
  public private(set) var rest: ArraySlice<UInt8>

  public init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Returns the choice that the next byte names; the first one without a further byte.
  ///
  /// - Parameter choices: At least one.
  public mutating func choose<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int(rest.popFirst() ?? 0) % choices.count]
  }
}
