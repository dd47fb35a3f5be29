import JSON

/// The base of the relative paths in a configuration.
package struct PathOrigin: Sendable, Hashable {
  /// The absolute path of the folder that holds the file.
  package var folder: String
  /// The folder that `~` means; with `nil`, `~` stays unchanged.
  package var home: String?

  package init(folder: String, home: String? = nil) {
    self.folder = folder
    self.home = home
  }

  /// Returns `path` as an absolute path without `.`, `..` and repeated slashes.
  package func absolute(_ path: String) -> String {
    var whole = path
    if let home, path == "~" || path.hasPrefix("~/") {
      whole = home + path.dropFirst()
    } else if !path.hasPrefix("/") {
      whole = folder + "/" + path
    }
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}

extension SchemaNode {
  /// Returns `value`, which must be valid, with defaults filled in and with absolute paths.
  package func completed(_ value: JSON, from origin: PathOrigin) -> JSON {
    switch (self, value) {
    case (.text(let shape), .string(let path)) where shape.isPath:
      return .string(origin.absolute(path))
    case (.list(let element), .array(let values)):
      return .array(values.map { element.completed($0, from: origin) })
    case (.object(let shape), .object(var object)):
      for field in shape.fields {
        guard let given = object[field.name] ?? field.standard else { continue }
        object[field.name] = field.shape.completed(given, from: origin)
      }
      return .object(object)
    case (.either(let shapes), _):
      let fitting = shapes.first { $0.accepts(value) }
      return fitting?.completed(value, from: origin) ?? value
    case (.named(_, let shape), _): return shape.completed(value, from: origin)
    default: return value
    }
  }
}
