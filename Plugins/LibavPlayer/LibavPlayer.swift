/// Plays music files and radio stations through FFmpeg's libav.
@main
struct LibavPlayer {
  static func main() {
  }
}
