/// The version of this program, which the changelog begins with (https://semver.org).
package enum TheaterVersion {
  /// `MAJOR.MINOR.PATCH`.
  package static let text = "0.1.0"
}
