import Testing

@testable import MediaNames

@Suite("Titles of songs from the names of their files")
struct SongTitleTests {
  @Test(
    "removes only the number of a track",
    arguments: [
      ("disc/01 - Morning.flac", "Morning"), ("01 Morning.mp3", "Morning"),
      ("01. Morning.mp3", "Morning"), ("1. Morning.mp3", "Morning"), ("1 - Morning.mp3", "Morning"),
      ("07_morning_song.mp3", "morning song"), ("1-05 Morning.flac", "Morning"),
      ("2-05 - Morning.flac", "Morning"), ("101 - Morning.flac", "Morning"),
      ("[03] Morning.mp3", "Morning"), ("(03) Morning.mp3", "Morning"),
      ("05) Morning.mp3", "Morning"),
      ("03-morning.mp3", "morning"), ("03.Morning.mp3", "Morning"), ("03、朝.mp3", "朝"),
      ("24K Magic.mp3", "24K Magic"), ("01 24K Magic.mp3", "24K Magic"),
      ("7 Rings.mp3", "7 Rings"), ("7 Seconds.mp3", "7 Seconds"),
      ("99 Luftballons.mp3", "99 Luftballons"), ("99.flac", "99"), ("1999.mp3", "1999"),
      ("1979 - Live.mp3", "1979 - Live"), ("4'33.flac", "4'33"), ("7-11.mp3", "7-11"),
      ("9-5.mp3", "9-5"), ("3.14.mp3", "3.14"), ("2-4-6-8 Motorway.mp3", "2-4-6-8 Motorway"),
      ("10.15 Saturday Night.mp3", "10.15 Saturday Night"), ("50 Ways.mp3", "50 Ways"),
      ("05 - 21 Guns.mp3", "21 Guns"), ("A.B.ogg", "A.B"), ("Song.mp3", "Song"),
      ("3D.mp3", "3D"), ("2 Become 1.mp3", "2 Become 1"), ("1-2-3.mp3", "1-2-3"),
    ])
  func titles(path: String, title: String) {
    #expect(SongTitle.title(ofPath: path) == title)
  }

  @Test("a plain number is that of the track if the tag or the folder says so")
  func context() {
    #expect(SongTitle.title(ofPath: "7 Rings.mp3", track: 7) == "Rings")
    #expect(SongTitle.title(ofPath: "10 Song.mp3", track: 10) == "Song")
    #expect(SongTitle.title(ofPath: "99 Luftballons.mp3", track: 3) == "99 Luftballons")
    let numbering = SongTitle.Numbering(of: [
      "a/01 One.mp3", "a/9 Nine.mp3", "a/10 Ten.mp3", "a/99 Luftballons.mp3", "b/11 Eleven.mp3",
    ])
    #expect(numbering.isNumbered("a/10 Ten.mp3"))
    #expect(!numbering.isNumbered("a/99 Luftballons.mp3"))
    #expect(!numbering.isNumbered("b/11 Eleven.mp3"))
    #expect(SongTitle.title(ofPath: "a/10 Ten.mp3", isNumbered: true) == "Ten")
    #expect(SongTitle.title(ofPath: "a/24K Magic.mp3", isNumbered: true) == "24K Magic")
  }

  @Test("reads the number of the disc from the folder or before the track")
  func discs() {
    #expect(SongTitle.disc(ofPath: "Album/CD 2/01 a.mp3", track: 1) == 2)
    #expect(SongTitle.disc(ofPath: "Album/CD2/01 a.mp3", track: nil) == 2)
    #expect(SongTitle.disc(ofPath: "Album (Disc 3)/01 a.mp3", track: 1) == 3)
    #expect(SongTitle.disc(ofPath: "Album/2-01 a.mp3", track: 1) == 2)
    #expect(SongTitle.disc(ofPath: "Album/201 a.mp3", track: 1) == 2)
    #expect(SongTitle.disc(ofPath: "Album/01 a.mp3", track: 1) == nil)
    #expect(SongTitle.disc(ofPath: "Discovery/01 a.mp3", track: 1) == nil)
    #expect(SongTitle.disc(ofPath: "a.mp3", track: nil) == nil)
  }
}
