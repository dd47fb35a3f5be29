/// The words and bounds of `POST /discovery`.
public enum DiscoveryWords {
  /// The kinds of search.
  public static let kinds = ["projectors", "mqtt", "sound", "drives", "displays", "folders"]
  /// How long a search may wait for answers, in seconds.
  public static let seconds = 1...25
}
