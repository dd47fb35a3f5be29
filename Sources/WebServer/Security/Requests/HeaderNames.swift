import HTTPTypes

extension HTTPField.Name {
  /// The token of a device that has logged in before.
  static let theaterDevice = name("Theater-Device")
  static let clearSiteData = name("Clear-Site-Data")
  static let crossOriginEmbedderPolicy = name("Cross-Origin-Embedder-Policy")
  static let crossOriginOpenerPolicy = name("Cross-Origin-Opener-Policy")
  static let lastEventID = name("Last-Event-ID")
  /// A second `Host`; the first one is the request's authority.
  static let anotherHost = name("Host")
  static let ownHeader = name(BrowserRules.ownHeader)
  static let prefer = name("Prefer")
  static let preferenceApplied = name("Preference-Applied")
  static let referrerPolicy = name("Referrer-Policy")
  static let secFetchDest = name("Sec-Fetch-Dest")
  static let secFetchMode = name("Sec-Fetch-Mode")
  static let secFetchSite = name("Sec-Fetch-Site")
  static let xAccelBuffering = name("X-Accel-Buffering")
  static let xFrameOptions = name("X-Frame-Options")

  private static func name(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("\(text) names no header") }
    return name
  }
}
