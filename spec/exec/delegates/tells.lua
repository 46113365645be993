-- What a branch with spec.exec.delegates.awaits waits for.
return require("spec.exec.delegates.meet").tell
