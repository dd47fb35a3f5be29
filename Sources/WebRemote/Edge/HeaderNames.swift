import HTTPTypes

extension HTTPField.Name {
  /// The token of a device that has logged in before.
  static let theaterDevice = name("Theater-Device")
  static let lastEventID = name("Last-Event-ID")
  static let prefer = name("Prefer")
  static let preferenceApplied = name("Preference-Applied")
  static let referrerPolicy = name("Referrer-Policy")
  static let xAccelBuffering = name("X-Accel-Buffering")

  private static func name(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("\(text) names no header") }
    return name
  }
}
