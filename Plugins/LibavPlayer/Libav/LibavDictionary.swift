import CLibav

/// Options or tags in libav's form, freed with the value that holds them.
struct LibavDictionary: ~Copyable {
  /// libav's pointer; functions that consume entries replace it.
  var pointer: OpaquePointer?

  /// A dictionary with these entries.
  init(_ entries: [(key: String, value: String)]) {
    for entry in entries { lav_av_dict_set(&pointer, entry.key, entry.value, 0) }
  }

  deinit {
    var pointer = pointer
    lav_av_dict_free(&pointer)
  }

  /// The text of a tag in a dictionary that libav owns, at most ``MediaText/longestTag`` bytes; nil
  /// where it has no such tag. The case of `name` does not count.
  ///
  /// Names are compared by libav, byte by byte: those in a file never become a Swift `String`.
  static func tag(_ name: String, in dictionary: OpaquePointer?) -> String? {
    guard let entry = lav_av_dict_get(dictionary, name, nil, 0), let value = entry.pointee.value
    else { return nil }
    let text = MediaText.line(value)
    return text.isEmpty ? nil : text
  }
}
