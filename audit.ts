import { run } from './cli/run.js'

// node dist/audit.js runs `agent-web-service audit`. Scripts and containers use this name.
void run(['audit', ...process.argv.slice(2)])
