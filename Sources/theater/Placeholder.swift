import Hummingbird
import ArgumentParser
import Logging
@main struct Theater { static func main() {} }
