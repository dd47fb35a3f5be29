import JSON

/// The items of a player, and the files that it leaves out.
public struct CatalogueListing: Sendable, Hashable {
  /// A file that a player does not list.
  public struct LeftOutFile: Sendable, Hashable {
    /// The path below its media folder, or the folder itself.
    public var file: String
    /// The reason, for people.
    public var reason: String
    /// The next action; `nil` if there is none.
    public var hint: String?

    public init(file: String, reason: String, hint: String? = nil) {
      self.file = file
      self.reason = reason
      self.hint = hint
    }

    /// Reads the format of `json`, with its texts cut; `nil` without a file and a reason.
    public init?(_ json: JSON) {
      guard let file = json["file"]?.string, let reason = json["reason"]?.string else { return nil }
      self.init(
        file: file.boundedLine(maximumBytes: Self.longestText),
        reason: reason.boundedLine(maximumBytes: Self.longestText),
        hint: json["hint"]?.string?.boundedLine(maximumBytes: Self.longestText))
    }

    /// `{"file": …, "reason": …, "hint": …}`.
    public var json: JSON {
      var object: JSONObject = ["file": .string(file), "reason": .string(reason)]
      if let hint { object["hint"] = .string(hint) }
      return .object(object)
    }

    /// The longest text in bytes.
    private static let longestText = 400
  }

  /// The most files that are named.
  public static let mostLeftOut = 100

  public var items: [CatalogueItem]
  /// The first of the files that are not listed, at most ``mostLeftOut``.
  public private(set) var leftOut: [LeftOutFile]
  /// The number of all files that are not listed.
  public private(set) var leftOutCount: Int

  /// A listing of all items that a player has, unless given otherwise.
  ///
  /// - Parameter leftOutCount: The number of all left-out files, if more than the named ones are.
  public init(
    _ items: [CatalogueItem], leftOut: [LeftOutFile] = [], leftOutCount: Int = 0
  ) {
    self.items = items
    self.leftOut = Array(leftOut.prefix(Self.mostLeftOut))
    self.leftOutCount = max(leftOutCount, leftOut.count)
  }

  /// Adds the left-out files of another listing.
  public mutating func append(leftOut files: [LeftOutFile], count: Int) {
    leftOut += files.prefix(max(0, Self.mostLeftOut - leftOut.count))
    let (sum, isTooLarge) = leftOutCount.addingReportingOverflow(max(count, files.count))
    leftOutCount = isTooLarge ? .max : sum
  }
}
