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

  /// The tags behind a pointer that libav owns, keys in lower case; the first of equal keys wins.
  static func read(_ dictionary: OpaquePointer?) -> [String: String] {
    var tags: [String: String] = [:]
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = lav_av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
      entry = next
      guard let key = next.pointee.key, let value = next.pointee.value else { continue }
      let name = String(cString: key).lowercased()
      if tags[name] == nil { tags[name] = readableText(value) }
    }
    return tags
  }
}

/// Text from a file or a station: UTF-8 where it is valid, else Latin-1, which old taggers and
/// stations still send.
func readableText(_ text: UnsafePointer<CChar>) -> String {
  if let valid = String(validatingCString: text) { return valid }
  var latin = ""
  var cursor = text
  while cursor.pointee != 0 {
    latin.unicodeScalars.append(Unicode.Scalar(UInt8(bitPattern: cursor.pointee)))
    cursor += 1
  }
  return latin
}
