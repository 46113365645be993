--- orrery suspend.
return require "orrery.cli.suspension".command("suspend", "Suspends instances, jobs or a process: nothing of them runs.")
