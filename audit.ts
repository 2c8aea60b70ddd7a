import { run } from './cli/run.js'

// node dist/audit.js, as scripts and containers know it: agent-web-service audit.
void run(['audit', ...process.argv.slice(2)])
