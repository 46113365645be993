--- orrery activate.
return require "orrery.cli.suspension".command("activate", "Lets what was suspended run again.")
