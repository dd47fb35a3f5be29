import Devices
import Testing

@Suite("E9 · pictures of items")
struct ItemPictureTests {
  @Test(
    "recognizes the format of a picture by its first bytes",
    arguments: [
      ([0xFF, 0xD8, 0xFF, 0xE0], ItemPicture.Format.jpeg),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
      (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), .webp),
    ] as [([UInt8], ItemPicture.Format)])
  func formats(beginning: [UInt8], format: ItemPicture.Format) {
    #expect(ItemPicture(beginning)?.format == format)
    #expect(ItemPicture(beginning + [0, 1, 2])?.bytes == beginning + [0, 1, 2])
    #expect(ItemPicture(Array(beginning.prefix(2))) == nil)
  }

  @Test(
    "other files are no pictures",
    arguments: ["", "<svg onload=alert(1)>", "GIF89a", "RIFF....WAVE", " \u{FF}\u{D8}\u{FF}"])
  func others(text: String) { #expect(ItemPicture(Array(text.utf8)) == nil) }

  @Test("a picture has at most 512 KiB")
  func size() {
    let rest = [UInt8](repeating: 0, count: ItemPicture.mostBytes - 3)
    #expect(ItemPicture([0xFF, 0xD8, 0xFF] + rest) != nil)
    #expect(ItemPicture([0xFF, 0xD8, 0xFF] + rest + [0]) == nil)
  }
}
