-- A branch that waits for spec.exec.delegates.tells in another branch of its transaction.
return require("spec.exec.delegates.meet").await
