// Compiled by Scripts/fuzz with the parsers of a plugin and the file FuzzedParsers.swift of its tests.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  parse(fuzzed: Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
