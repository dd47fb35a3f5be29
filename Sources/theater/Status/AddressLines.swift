import JSON

/// Where browsers find the theater, with the certificate that they are shown.
enum AddressLines {
  /// The lines for what `/api/v1/address` answers; none where nothing is known.
  static func lines(_ answer: JSON) -> [String] {
    var columns = Columns()
    if let address = answer["address"]?.string { columns.add("web", address) }
    if let fingerprint = answer["fingerprint"]?.string {
      columns.add("certificate", "SHA-256 \(fingerprint)")
    }
    return columns.lines
  }
}
