/// An input that descriptions and dumps leave out, because a person may have typed a secret.
public protocol ConcealedInput: CustomStringConvertible, CustomReflectable {}

extension ConcealedInput {
  public var description: String { "Input" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
