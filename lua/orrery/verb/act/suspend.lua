--- orrery suspend.
return require "orrery.cli.suspending".command("suspend", "Suspends instances, jobs or a process: nothing of them runs.")
