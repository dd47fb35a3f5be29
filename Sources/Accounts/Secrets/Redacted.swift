/// A value that no description, interpolation, dump or log shows.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension Redacted {
  package var description: String { "\(Self.self)(kept secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
