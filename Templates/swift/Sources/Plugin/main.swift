await plugin.run()
