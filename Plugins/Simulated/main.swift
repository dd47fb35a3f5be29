import PluginKit

await simulatedTheater().run()
