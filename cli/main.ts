import { run } from './run.js'

// The program agent-web-service. Not awaited at the top: the build makes scripts of this, which know no such thing.
void run(process.argv.slice(2))
