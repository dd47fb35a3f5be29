import Foundation

/// The inputs that Scripts/fuzz keeps in the folder `Corpus` of a test target.
public enum FuzzCorpus {
  /// Returns the bytes of each input, in the order of the file names.
  ///
  /// - Parameter file: The path of a source file beside the folder.
  public static func inputs(beside file: String) throws -> [[UInt8]] {
    let folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Corpus")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      Array(try Data(contentsOf: folder.appending(path: name)))
    }
  }
}
