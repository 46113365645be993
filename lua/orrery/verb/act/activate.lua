--- orrery activate.
return require "orrery.cli.suspending".command("activate", "Lets what was suspended run again.")
