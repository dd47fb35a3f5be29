import Foundation

/// The content codings that a client accepts (RFC 9110, section 12.5.3).
struct AcceptedEncodings {
  /// The weight of each coding, 0 (refused) to 1000, by its name in lower case.
  private let weights: [String: Int]

  /// - Parameter lines: The values of the header fields `Accept-Encoding`. A coding whose weight is malformed is
  ///   refused.
  init(_ lines: [String]) {
    var weights: [String: Int] = [:]
    for entry in lines.flatMap({ $0.split(separator: ",") }) {
      let parts = entry.split(separator: ";", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      guard let name = parts.first, !name.isEmpty else { continue }
      weights[name] = parts.count == 1 ? 1000 : parts.count == 2 ? Self.weight(parts[1]) : 0
    }
    self.weights = weights
  }

  /// Whether gzip is accepted, and the file as it is is not preferred to it.
  var prefersGzip: Bool {
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    return gzip > 0 && gzip >= weights["identity"] ?? 0
  }

  /// Returns the thousandths of a weight such as `q=0.5`; 0 for any other text.
  private static func weight(_ text: String) -> Int {
    guard let digits = text.wholeMatch(of: /q\s*=\s*([01])(?:\.(\d{0,3}))?/) else { return 0 }
    let fraction = digits.output.2 ?? ""
    let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
    guard digits.output.1 == "1" else { return thousandths }
    return thousandths == 0 ? 1000 : 0
  }
}
