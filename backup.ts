import { run } from './cli/run.js'

// node dist/backup.js, as scripts and containers know it: agent-web-service backup.
void run(['backup', ...process.argv.slice(2)])
