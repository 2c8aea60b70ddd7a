import { run } from './cli/run.js'

// node dist/backup.js runs `agent-web-service backup`. Scripts and containers use this name.
void run(['backup', ...process.argv.slice(2)])
