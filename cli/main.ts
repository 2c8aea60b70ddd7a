import { run } from './run.js'

// The program agent-web-service. No top-level await, because the build turns this into a script, which does not support it.
void run(process.argv.slice(2))
