import JSON
import MediaFolders
import MediaNames
import MediaNetwork

/// One music file, as lists show it.
struct Song: Equatable, Sendable {
  /// The path below the media folder.
  var id: String
  var title: String
  var artist: String?
  var album: String?
  /// Number on its disc, from 1.
  var track: Int?
  /// Number of the disc in its set, from 1.
  var disc: Int?
  /// Length in seconds; nil if unknown.
  var duration: Double?
  /// Codec, or container of plain samples: "flac", "mp3", "vorbis", "opus", "aac", "wav" …
  var format: String
  var channels: Int
  /// The file's ``FoundFile/stamp``.
  var stamp: String

  /// The folder that the song lies in, below the media folder; "" for the media folder itself.
  var folder: String { Song.folder(of: id) }

  /// The folder part of an item's path.
  static func folder(of id: String) -> String {
    id.lastIndex(of: "/").map { String(id[..<$0]) } ?? ""
  }

  /// The order of songs: folder by folder, as on the disc, then by name.
  static func precedes(_ first: Song, _ second: Song) -> Bool {
    if first.folder != second.folder {
      return NaturalOrder.precedes(path: first.folder, second.folder)
    }
    let one = (first.disc ?? 1, first.track ?? .max)
    let other = (second.disc ?? 1, second.track ?? .max)
    return one == other ? NaturalOrder.precedes(path: first.id, second.id) : one < other
  }
}

extension Song {
  /// Reads the file's header, and decodes its first frame, so that only files are listed that can be played.
  ///
  /// - Parameters:
  ///   - numbering: The numbers at the beginnings of the names in the folder.
  ///   - countable: Bytes that may still be read to learn lengths; a file that has to be read as a
  ///     whole takes its bytes from there, or has no length.
  ///   - milliseconds: The longest time to take.
  init(
    _ file: FoundFile, in folder: MediaFolder, numbering: SongTitle.Numbering,
    countable: inout Int64, milliseconds: UInt64 = ScanLimits().millisecondsPerFile
  ) throws(MediaFailure) {
    let path = try folder.resolve(file.path)
    let interrupt = LibavInterrupt()
    interrupt.setDeadline(milliseconds: milliseconds)
    var content = FileContent(container: Container(path: path))
    let limit = min(countable, FileContent.longestCounted)
    let window = FileWindow(
      path, limit: limit + FileContent.longestSearch, interrupt: interrupt)
    if let window {
      content = FileContent(window, promised: content.container, limit: limit)
      if content.isCounted { countable = max(0, countable - window.bytesRead) }
    }
    let demuxer = try content.openForTags(path, subject: file.path, interrupt: interrupt)
    // A file with this extension is as often a film.
    if MediaName.fileExtension(of: file.path) == "webm", demuxer.hasPicture {
      throw MediaFailure(
        .unsupported, subject: file.path, detail: "it is a film",
        hint: "Name its folder among those of the film player.")
    }
    var tags = demuxer.tags
    if let names = window.map(ArtistList.read), !names.isEmpty { tags.artist = Tags.joined(names) }
    let sound = try AudioFile(
      path: path, subject: file.path, content: content, interrupt: interrupt)
    let title =
      tags.title
      ?? SongTitle.title(
        ofPath: file.path, track: tags.track, isNumbered: numbering.isNumbered(file.path)
      ).boundedLine(maximumBytes: MediaText.longestTag)
    let disc = tags.disc ?? SongTitle.disc(ofPath: file.path, track: tags.track)
    self.init(
      id: file.path, title: title, artist: tags.artist, album: tags.album, track: tags.track,
      disc: disc, duration: sound.duration,
      format: sound.kind, channels: sound.format.channels, stamp: file.stamp)
  }
}
